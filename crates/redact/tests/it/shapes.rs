//! Secrets in the shapes hooks see them: dumps, command lines, diffs, line numbers, JSON in JSON.

use crate::redact;

#[track_caller]
fn check(input: &str, expected: &str) {
    assert_eq!(redact(input), expected, "\n input: {input}");
}

#[track_caller]
fn spares(input: &str) {
    assert_eq!(redact(input), input);
}

#[test]
fn private_text_goes_first() {
    check("a <private>b</private> c", "a  c");
    check("a <private>password=hunter2-x", "a ");
    check("<pri<private></private>vate>x", "<pri[private]vate>x");
}

#[test]
fn environment_and_configuration_files() {
    check("DB_PASSWORD=hunter2-rabbit\nPORT=80", "DB_PASSWORD=[password]\nPORT=80");
    check("export API_TOKEN='Xk29vQmZ7LpR4tYw'", "export API_TOKEN='[token]'");
    check("password: s3cr3tPw", "password: [password]");
    check("spring.datasource.password=s3cr3tPw", "spring.datasource.password=[password]");
    check("  12→DB_PASSWORD=hunter2-rabbit", "  12→DB_PASSWORD=[password]");
    check("+DB_PASSWORD=hunter2-rabbit", "+DB_PASSWORD=[password]");
    check(
        "\x1b[32mDB_PASSWORD\x1b[0m=\x1b[33mhunter2\x1b[0m",
        "\x1b[32mDB_PASSWORD\x1b[0m=\x1b[33m[password]\x1b[0m",
    );
    check("<password>s3cr3tPw</password>", "<password>[password]</password>");
    check("<add key=\"DbPassword\" value=\"s3cr3tPw\" />", "<add key=\"DbPassword\" value=\"[password]\" />");
    check(
        "<key>Password</key>\n<string>s3cr3tPw</string>",
        "<key>Password</key>\n<string>[password]</string>",
    );
    check("- name: DB_PASSWORD\n  value: s3cr3tPw", "- name: DB_PASSWORD\n  value: [password]");
    check("machine a.b login me password s3cr3tPw", "machine a.b login me password [password]");
    check(
        "jdbc:mysql://h/db?user=me&password=s3cr3tPw&x=1",
        "jdbc:mysql://h/db?user=me&password=[password]&x=1",
    );
    check("Server=h;Uid=me;Pwd=s3cr3tPw;", "Server=h;Uid=me;Pwd=[password];");
}

#[test]
fn command_lines() {
    check("mysql -u root -p's3cr3tPw' app", "mysql -u root -p'[password]' app");
    check("mysql -uroot -ps3cr3tPw app", "mysql -uroot -p[password] app");
    check("PGPASSWORD=s3cr3tPw psql -h h", "PGPASSWORD=[password] psql -h h");
    check("curl -u me:s3cr3tPw https://h", "curl -u me:[password] https://h");
    check("sshpass -p 's3cr3tPw' ssh h", "sshpass -p '[password]' ssh h");
    check("docker login -u me -p s3cr3tPw h", "docker login -u me -p [password] h");
    check("redis-cli -h h -a s3cr3tPw ping", "redis-cli -h h -a [password] ping");
    check("tool --password s3cr3tPw --verbose", "tool --password [password] --verbose");
    check("tool --password=s3cr3tPw", "tool --password=[password]");
    check("openssl enc -aes-256-cbc -pass pass:s3cr3tPw", "openssl enc -aes-256-cbc -pass pass:[password]");
    check(
        "aws configure set aws_secret_access_key Zk1Tq0c8aH5vR2mW8sLd0PqYf3uXk29vQmZ7abcd",
        "aws configure set aws_secret_access_key [access-key]",
    );
    check("echo 'me:s3cr3tPw' | chpasswd", "echo 'me:[password]' | chpasswd");
}

#[test]
fn urls_and_headers() {
    check("postgres://app:s3cr3tPw@db:5432/x", "postgres://app:[url-password]@db:5432/x");
    check("Authorization: Bearer Xk29vQmZ7LpR4tYw", "Authorization: Bearer [authorization]");
    check("X-Api-Key: Xk29vQmZ7LpR4tYw", "X-Api-Key: [api-key]");
    check("Cookie: sid=q8Zr4vLx91Tnqq; theme=dark", "Cookie: sid=[cookie]; theme=dark");
}

#[test]
fn private_keys_in_every_shape() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx9Zk1Tq0c8aH5v\nR2mW8sLd0PqYf3uXk29vQmZ7abcd\n-----END RSA PRIVATE KEY-----";
    let gone = "-----BEGIN RSA PRIVATE KEY-----\n[private-key]\n\n-----END RSA PRIVATE KEY-----";
    check(key, gone);
    check(&key.replace('\n', "\r\n"), &gone.replace('\n', "\r\n"));
    check(&key.replace('\n', "\n    "), &gone.replace('\n', "\n    "));
    check(&key.replace('\n', "\n+"), &gone.replace('\n', "\n+"));
    check(
        &key.replace('\n', "\\n"),
        "-----BEGIN RSA PRIVATE KEY-----\\n[private-key]\\n-----END RSA PRIVATE KEY-----",
    );
    let head = &key[..key.len() - 30];
    check(head, &gone[..gone.len() - 30]);
    let tail = key.split_once('\n').unwrap().1;
    check(tail, gone.split_once('\n').unwrap().1);
    let numbered: String =
        key.lines().enumerate().map(|(n, line)| format!("  {}→{line}\n", n + 9)).collect::<Vec<_>>().concat();
    let expected: String = gone
        .lines()
        .enumerate()
        .map(|(n, line)| format!("  {}→{line}\n", n + 9))
        .collect::<Vec<_>>()
        .concat();
    check(&numbered, &expected);
}

#[test]
fn hard_negatives_are_spared() {
    for text in [
        "id: 8dcc5c1e-5996-4055-8d51-9334035847e7",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "\"integrity\": \"sha512-Zk1Tq0c8aH5vR2mW8sLd0PqYf3uXk29vQmZ7abcdZk1Tq0c8aH5vR2mW8sLd0PqYf3uXk29vQmZ7abcd==\"",
        "checksum = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
        "api_key = \"<your-api-key>\"",
        "password=changeme",
        "password: ${DB_PASSWORD}",
        "token = process.env.GITHUB_TOKEN",
        "password=os.environ[\"DB_PASSWORD\"]",
        "password=get_password()",
        "def login(user: str, password: str) -> bool:",
        "token = next_token()",
        "The password must be at least 12 characters long.",
        "password: Optional[str] = None",
        "  password: string;",
        "let password = rpassword::prompt_password(\"Password: \")?;",
        "<input type=\"password\" name=\"password\" placeholder=\"Your password\">",
        "{\"password\": \"Password\", \"forgot\": \"Forgot your password?\"}",
        "secretName: my-app-tls",
        "max_tokens: 4096",
        "https://example.com/path?x=1",
        "git@github.com:owner/repo.git",
        "key: value",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE\n-----END CERTIFICATE-----",
        "docker run -p 8080:80 nginx",
        "token_type: bearer",
        "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
        "password_hash = bcrypt.hash(password)",
        "if password == confirm_password:",
        "class PasswordField2(Field):",
    ] {
        spares(text);
    }
}
