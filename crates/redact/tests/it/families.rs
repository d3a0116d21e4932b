//! The families of places a password is written in: each with some of its members, and what looks like them.

use crate::redact;

#[track_caller]
fn gone(inputs: &[&str]) {
    for input in inputs {
        let output = redact(input);
        assert!(output.contains('[') && !output.contains("bluewhale"), "kept: {input}\n  out: {output}");
    }
}

#[track_caller]
fn spared(inputs: &[&str]) {
    for input in inputs {
        assert_eq!(&redact(input), input);
    }
}

#[test]
fn sentences_that_tell_a_password() {
    gone(&[
        "log in as me, the password is bluewhale77 and go on",
        "the passphrase for the deploy key is: bluewhale77",
        "I set the db password to bluewhale77 in the compose file",
        "please use `bluewhale77` as the password",
        "credentials for db.internal: me / bluewhale77",
        "Benutzer me, Passwort: bluewhale77",
        "le mot de passe du serveur est bluewhale77",
        "La contraseña es bluewhale77",
        "пароль: bluewhale77",
        "パスワード：bluewhale77",
        "her password. New one: bluewhale77",
    ]);
    spared(&[
        "the password is required",
        "the password is hashed with bcrypt12",
        "changed the password from plaintext to sha256",
        "The password must be at least 8 characters.",
        "login with google/github accounts",
        "Passwort vergessen?",
    ]);
}

#[test]
fn plain_words_where_only_a_password_can_stand() {
    gone(&[
        "docker login --username me --password bluewhalesong",
        "spring.datasource.password=bluewhalesong",
        "  password: bluewhalesong\n",
        "Server=h;Uid=me;Pwd=bluewhalesong;",
        "setenv DB_PASSWORD bluewhalesong",
        "#define DB_PASSWORD \"bluewhalesong\"",
        "machine h login me password bluewhalesong",
        "export DB_PASSWORD=\"bluewhale sea song 12\"",
        "- name: DB_PASSWORD\n  value: bluewhalesong",
        "ALTER USER me WITH PASSWORD 'bluewhalesong';",
    ]);
    spared(&[
        "--password PASSWORD",
        "      --password string   Password for the registry",
        "password: string",
        "password: SecretStr",
        "\"password\": \"Passwort\"",
        "DB_PASSWORD=${DB_PASSWORD}",
        "password_min_length: 12",
    ]);
}

#[test]
fn tables_with_a_column_of_passwords() {
    gone(&[
        "user,password\nme,bluewhale77\n",
        "\"name\",\"password\"\n\"me\",\"bluewhale,77\"\n",
        "| user | password |\n|---|---|\n| me | bluewhale77 |\n",
        "12:user;password\n13:me;bluewhale77\n",
        "Jan 12 10:00:00 web1 app[812]: user,password\nJan 12 10:00:00 web1 app[812]: me,bluewhale77",
        "INSERT INTO users (name, password) VALUES ('me', 'bluewhale77');",
    ]);
    spared(&[
        "user,password,email are required",
        "| name | type |\n|---|---|\n| password | string |\n",
        "INSERT INTO users (name, password) VALUES ($1, $2)",
    ]);
}

#[test]
fn literals_apart_from_their_names() {
    gone(&[
        "fn password() -> &'static str { \"bluewhale77\" }",
        "let password = String::from(\"bluewhale77\");",
        "expect(config.password).toBe('bluewhale77')",
        "assertEquals(\"bluewhale77\", user.getPassword());",
        "user, password = \"me\", \"bluewhale77\"",
        "process.env.DB_PASSWORD || 'bluewhale77'",
        "subprocess.run(['docker', 'login', '-u', 'me', '-p', 'bluewhale77'])",
        "db.Open(\"mysql\", \"me:bluewhale77@tcp(h:3306)/x\")",
    ]);
    spared(&[
        "password = getpass(\"Enter password: \")",
        "password = form.cleaned_data[\"password\"]",
        "hash(password, \"sha256\")",
        "'password': _get('redis_password'),\n'max_connections': 12,",
    ]);
}

#[test]
fn text_inside_other_text() {
    gone(&[
        "{'out': 'user,password\\nme,bluewhale77\\n'}",
        "password = &quot;bluewhale77&quot;;",
        "password = <span class=\"s\">\"bluewhale77\"</span>;",
        "body=user%3Dme%26password%3Dbluewhale77%26x%3D1",
        "{“password”: “bluewhale77”}",
    ]);
}

#[test]
fn a_name_inside_what_a_viewer_put_before_a_line_is_no_header() {
    spared(&[
        "read -s -p \"Password: \" PASSWORD\nexport PASSWORD\n\nthanks",
        "token_1 | a\nb | c\n",
        "2024-01-01 secret,\tkey\nx,\ty\n",
    ]);
}
