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

/// A generator that is the same in every run; no password it makes was looked at.
struct Generator(u64);

impl Generator {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }

    /// Letters of both cases, digits and every sign but those that end a quoted string.
    fn password(&mut self) -> String {
        loop {
            let length = [10, 12, 14, 16, 20, 24][self.below(6)];
            let made: String = (0..length)
                .map(|_| char::from(b'!' + self.below(94) as u8))
                .filter(|made| !matches!(made, '"' | '\'' | '\\' | '`'))
                .collect();
            let has = |is: fn(&char) -> bool| made.chars().any(|made| is(&made));
            if has(char::is_ascii_digit)
                && has(char::is_ascii_uppercase)
                && has(char::is_ascii_lowercase)
                && has(char::is_ascii_punctuation)
            {
                return made;
            }
        }
    }
}

/// The share of generated passwords of which no third is left, over the templates.
fn share_gone(templates: &[&str]) -> f64 {
    const EACH: usize = 150;
    let mut generator = Generator(0x9E37_79B9_7F4A_7C15);
    let mut gone = 0;
    for template in templates {
        for _ in 0..EACH {
            let value = generator.password();
            // A semicolon ends a pair of a connection string, so none is in it.
            let value = if template.contains("Uid=") { value.replace(';', "_") } else { value };
            let text = template.replace("{}", &value);
            let output = redact(&text);
            let third = (value.len() / 3 + 1).max(5);
            let beside = text.replace(&value, "\0");
            gone += usize::from(!(0..=value.len() - third).any(|at| {
                let part = &value[at..at + third];
                output.contains(part) && !beside.contains(part)
            }));
        }
    }
    gone as f64 / (templates.len() * EACH) as f64
}

#[test]
fn passwords_nobody_looked_at_are_gone_as_often_as_promised() {
    let containers = share_gone(&[
        "A=1\nMYSQL_ROOT_PASSWORD={}\nB=2\n",
        "  3\tHOST=h\n  4\tKEYSTORE_PASS={}\n",
        "{\"db\": {\"ldap_bind_password\": \"{}\"}}",
        "spring:\n  password: \"{}\"\n",
        "session_secret = \"{}\"\n",
        "environment:\n  - PGPASSWORD={}\n",
        "Driver=x;Server=h;Uid=me;PWD={};Port=1",
        "./deploy.sh --db-password '{}' --env prod",
    ]);
    assert!(containers >= 0.95, "{containers}");
    let sentences = share_gone(&[
        "ok so the password's {}",
        "The admin password was reset to {} today",
        "Kennwort ist {}",
        "mot de passe : {}",
        "senha: {}",
        "connect as root, password {} and run it",
        "we use {} as our shared password",
        "the old password {} still works",
    ]);
    assert!(sentences >= 0.85, "{sentences}");
}
