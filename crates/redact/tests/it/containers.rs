//! A value ends where its container ends, and is a placeholder or code only if all of it is.

use crate::{redact, redactor};

/// Passwords as generators make them: every sign that ends something somewhere.
const GENERATED: &[&str] = &[
    "Kx7f<Qm9vTz2",
    "Kx7f(Qm9vTz2",
    "Kx7f[Qm9v]Tz2",
    "Kx7f{Qm9vTz2",
    "Kx7f.Qm9vTz2",
    "Kx7fW&Qm9vTz2",
    "Kx7f;Qm9,vTz2",
    "<Kx7fQm9vTz2",
    "(Kx7fQm9vTz2",
    "[aK3xQ9vTz2",
    "{aK3xQ9vTz2",
    ".aK3xQ9vTz2",
    "&aK3xQ9vTz2",
    "~aK3^xQ9|vTz2",
    "=aK3xQ9vTz2",
    "a$(K3xQ9vTz2",
    "a${K3xQ9vTz2",
    "aK3{{xQ9vTz2",
    "aK3%xQ9!vTz2",
    "aK3->xQ9vTz2",
    "aK3::xQ9vTz2",
    "aK3()xQ9vTz2",
    "aK3>xQ9)vTz2",
    "5/aK3&b.(9x6/4v<-Bc",
    "d3ZDO{D0xu[^0xpQYK]m",
    "T+=ovB#qRRt^3p",
    "rEVX29e=fW3q",
    "user.Kx7f!Qm9vTz2",
];

/// Nothing of `value` is left: not the whole, and no five characters of it in a row.
#[track_caller]
fn wholly_gone(text: &str, value: &str) {
    let output = redact(text);
    let beside = text.replace(value, "\0");
    let bytes = value.as_bytes();
    for window in bytes.windows(5.min(bytes.len())) {
        let part = std::str::from_utf8(window).expect("the values are ASCII");
        assert!(!output.contains(part) || beside.contains(part), "{text}\n  left: {output}");
    }
}

#[test]
fn a_generated_password_goes_whole_in_every_container() {
    for value in GENERATED {
        wholly_gone(&format!("HOST=h\nDB_PASSWORD={value}\nPORT=1\n"), value);
        wholly_gone(&format!("export DB_PASSWORD='{value}'\n"), value);
        wholly_gone(&format!("{{\"user\": \"app\", \"dbPassword\": \"{value}\"}}"), value);
        wholly_gone(&format!("db:\n  password: \"{value}\"\n  port: 1\n"), value);
        wholly_gone(&format!("db:\n  password: '{value}'\n"), value);
        wholly_gone(&format!("region = \"eu\"\ndb_password = \"{value}\"\n"), value);
        wholly_gone(&format!("const password = \"{value}\";\n"), value);
        wholly_gone(&format!("tool login --password '{value}' --verbose"), value);
        wholly_gone(&format!("curl -u 'me:{value}' https://h"), value);
        if !value.contains(';') {
            wholly_gone(&format!("\"Server=h;Uid=me;Password={value};Encrypt=true\""), value);
        }
        if !value.starts_with(['[', '{', '&', '=']) && !value.contains(": ") {
            wholly_gone(&format!("db:\n  password: {value}\n  port: 1\n"), value);
        }
    }
}

#[test]
fn a_generated_password_in_a_sentence_is_read_to_the_blank() {
    for value in [
        "Kx7f<Qm9vTz2",
        "Kx7f(Qm9vTz2",
        "Kx7fW&Qm9vTz2",
        "G)PH8L;bjc",
        "RU:)vN@2?(c$",
        "98Fp+{hz%7",
        "tI.+h/3GX5",
    ] {
        for sentence in [
            "the password is {}",
            "das Passwort lautet {}",
            "la contraseña es {} ahora",
            "a senha é {}",
            "please use {} as the password",
            "login with admin and password {}",
            "set the postgres password to {} please",
            "pw is {}",
        ] {
            wholly_gone(&sentence.replace("{}", value), value);
        }
    }
}

#[test]
fn what_is_wholly_a_hole_or_wholly_code_stays() {
    for text in [
        "password: <your-password>",
        "DB_PASSWORD=${DB_PASSWORD}",
        "DB_PASSWORD=$(cat /run/secrets/db)",
        "password: {{ vault_password }}",
        "password: <%= ENV['X'] %>",
        "password = getPassword()",
        "password: string;",
        "password = os.environ[\"DB_PASSWORD\"],",
        "    password=config.get(\"db\", \"password\"),",
        "password = user.profile.password",
        "password: Option<String>,",
        "passwd := []byte(input)",
        "password = pbkdf2.Key([]byte(passwd), salt, 10000)",
        "password_regex: '^(?=.*[A-Z])(?=.*\\d).{8,}$'",
        "password: @@PASSWORD@@",
        "password: ENC[AES256_GCM,data:abc]",
        "the Argon2 password hasher is changed to Argon2id.",
        "cannot set both -random-password and -password flags",
        "github.com/jonboulle/clockwork v0.5.0 h1:Hyh9A8u51kptdkR+cqRpT1EebBwTn1oK9YfGYbdFz6I=",
        "X-Github-Request-Id: C4F6:A93E1:6A2E9E:5B1BA1:69AF24E6",
        "image: acme/docker-mail:latest@sha256:3fb7cf50b47693e7b80f6f74abea2def4d7386016931d61359864de8a0aba551",
        "\"install.mailer_password\": \"SMTP-jelszó\",",
        "User.objects.filter(password__startswith=\"md5$\")",
        "  config.SetEnvVars(&env, \"PWD\", workDir)\n  config.SetEnvVars(&env, \"HUGO_ENV\", cfg.Environment())\n",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn a_quote_behind_a_backslash_may_close_a_string() {
    wholly_gone("tool --password 'Y*LmSp$Yu_;9\\' --verbose", "Y*LmSp$Yu_;9");
    wholly_gone("password: 'it''s Kx7f!Qm9'\n", "s Kx7f!Qm9");
    let output = redactor().bytes(b"password = 'a\\'Kx7f!Qm9'\n");
    assert!(!String::from_utf8_lossy(&output.bytes).contains("Kx7f"));
}
