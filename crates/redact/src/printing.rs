//! Commands that print secrets, and what they printed. What such a command writes is secret by the command, with
//! no name beside it and whatever it looks like.

use crate::holes;
use crate::judge;
use crate::lexicon::{self, Strength};
use crate::likeness::Shape;
use crate::text::{self, ALNUM, NAME};

/// What a command's output holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Prints {
    /// Names and values: a file of settings, an environment.
    Pairs,
    /// The secret itself, alone or in a listing.
    Value,
}

/// Longer commands are programs; how they begin says what they do.
const LONGEST_COMMAND: usize = 8 * 1024;
/// A listing longer than this is no secret.
const MOST_LINES: usize = 400;

/// The words of a command that prints a secret, in their order; others may stand between. A word in the table is
/// the beginning of a word of the command; `*secret*` is a part of one.
#[rustfmt::skip]
const COMMANDS: &[&[&str]] = &[
    &["kubectl", "get", "secret", "*jsonpath*"], &["kubectl", "get", "secret", "*template*"], &["kubectl", "get", "secret", "*custom-columns*"],
    &["oc", "get", "secret", "*jsonpath*"], &["oc", "get", "secret", "*template*"], &["oc", "extract", "secret"], &["oc", "whoami", "-t"], &["oc", "whoami", "--show-token"],
    &["k", "get", "secret", "*jsonpath*"], &["kubectl", "view-secret"], &["kubectl", "create", "token"], &["kubectl", "config", "view", "--raw"], &["kubeadm", "token"],
    &["aws", "configure", "get", "*secret*"], &["aws", "configure", "get", "*token*"], &["aws", "configure", "get", "*key*"], &["aws", "configure", "export-credentials"],
    &["aws", "secretsmanager", "get-secret-value"], &["aws", "secretsmanager", "batch-get-secret-value"], &["aws", "secretsmanager", "get-random-password"],
    &["aws", "ssm", "get-parameter", "--with-decryption"], &["aws", "ecr", "get-login"], &["aws", "ecr-public", "get-login"], &["aws", "sts", "get-session-token"],
    &["aws", "sts", "assume-role"], &["aws", "codeartifact", "get-authorization-token"], &["aws", "rds", "generate-db-auth-token"],
    &["aws", "iam", "create-access-key"], &["aws", "kms", "decrypt"], &["aws", "ec2", "get-password-data"], &["aws-vault", "export"], &["aws-vault", "exec", "env"],
    &["az", "keyvault", "secret", "show"], &["az", "keyvault", "secret", "download"], &["az", "account", "get-access-token"], &["az", "storage", "account", "keys"],
    &["az", "storage", "account", "show-connection-string"], &["az", "acr", "credential"], &["az", "acr", "login", "--expose-token"], &["az", "ad", "sp", "create-for-rbac"],
    &["az", "ad", "app", "credential", "reset"], &["az", "cosmosdb", "keys"], &["az", "redis", "list-keys"], &["az", "functionapp", "keys"], &["az", "servicebus", "*keys*", "list"], &["az", "eventhubs", "*keys*", "list"],
    &["gcloud", "auth", "print-"], &["gcloud", "auth", "application-default", "print-"], &["gcloud", "secrets", "versions", "access"], &["gcloud", "sql", "generate-login-token"],
    &["vault", "read"], &["vault", "kv", "get"], &["vault", "token", "create"], &["vault", "token", "lookup"], &["vault", "print", "token"], &["vault", "unwrap"], &["vault", "login"], &["vault", "operator", "init"],
    &["gh", "auth", "token"], &["gh", "auth", "status", "-t"], &["gh", "auth", "status", "--show-token"], &["glab", "config", "get", "token"], &["hub", "ci-status"],
    &["pass", "show"], &["pass", "otp"], &["pass", "generate"], &["gopass", "show"], &["gopass", "cat"], &["op", "read"], &["op", "item", "get"], &["op", "get"], &["op", "signin"], &["op", "inject"],
    &["bw", "get"], &["bw", "unlock"], &["bw", "generate"], &["rbw", "get"], &["lpass", "show"], &["keepassxc-cli", "show"], &["keepassxc-cli", "clip"], &["secret-tool", "lookup"], &["kwallet-query"], &["keyring", "get"], &["dcli", "password"],
    &["security", "find-generic-password"], &["security", "find-internet-password"], &["chezmoi", "secret"], &["teller", "show"], &["teller", "env"],
    &["doppler", "secrets"], &["doppler", "configure", "get", "token"], &["infisical", "secrets"], &["infisical", "export"], &["sops", "-d"], &["sops", "--decrypt"], &["sops", "decrypt"], &["sops", "exec-env"],
    &["ansible-vault", "view"], &["ansible-vault", "decrypt", "--output"], &["gpg", "-d"], &["gpg", "--decrypt"], &["gpg2", "-d"], &["gpg", "--export-secret"], &["age", "-d"], &["age", "--decrypt"], &["openssl", "pkcs12", "-nodes"], &["openssl", "rand"], &["openssl", "enc", "-d"], &["openssl", "genrsa"],
    &["heroku", "config"], &["heroku", "auth:token"], &["flyctl", "auth", "token"], &["fly", "auth", "token"], &["railway", "variables"], &["netlify", "env:get"], &["render", "env"], &["eas", "env:get"], &["dokku", "config"], &["cf", "oauth-token"], &["cf", "env"], &["cf", "service-key"],
    &["terraform", "output"], &["tofu", "output"], &["pulumi", "config", "get"], &["pulumi", "stack", "output"], &["pulumi", "config", "--show-secrets"], &["terragrunt", "output"],
    &["npm", "token", "create"], &["npm", "config", "get", "*auth*"], &["yarn", "config", "get", "*auth*"], &["git", "credential"], &["git", "config", "*token*"], &["git", "config", "*password*"], &["git", "config", "*extraheader*"],
    &["pwgen"], &["apg"], &["wg", "genkey"], &["wg", "genpsk"], &["htpasswd", "-nb"], &["mkpasswd"], &["xkcdpass"], &["diceware"], &["ssh-keygen", "-y"], &["step", "ca", "token"], &["step", "crypto", "jwt"],
    &["consul", "acl", "token"], &["nomad", "acl", "token"], &["docker", "swarm", "join-token"], &["argocd", "admin", "initial-password"], &["argocd", "account", "generate-token"], &["rancher", "token"],
    &["databricks", "secrets", "get"], &["snowsql", "--generate-jwt"], &["stripe", "config", "--list"], &["supabase", "status"], &["composer", "config", "*auth*"], &["poetry", "config", "*token*"], &["pip", "config", "get", "*password*"], &["conjur", "variable", "get"], &["cyberark", "get"], &["akeyless", "get-secret-value"], &["hcp", "vault-secrets"], &["ejson", "decrypt"], &["berglas", "access"], &["chamber", "read"], &["chamber", "export"], &["credstash", "get"], &["blackbox_cat"], &["git-crypt", "export-key"], &["sshpass", "-V"], &["lastpass", "show"], &["dig", "+tsig"],
];

/// Programs that show a file as it is.
#[rustfmt::skip]
const VIEWERS: &[&str] = &[
    "cat", "less", "more", "head", "tail", "bat", "batcat", "nl", "tac", "type", "xxd", "hexdump", "strings", "base64", "awk", "sed", "grep",
    "rg", "cut", "gc", "get-content", "jq", "yq", "sort", "uniq", "od", "view", "dasel", "paste",
];

/// Files that are one secret.
#[rustfmt::skip]
const VALUE_FILES: &[&str] = &[
    "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", ".vault-token", "master.key", ".vault_pass", "vault_pass", "vault-password", ".vault-password",
    "initialadminpassword", "auth_token", "authtoken", "access_token", "refresh_token", "api_key", "apikey", "api-key", "token", "password", "passwd.txt", "secret_key", "root_token",
    "sa.token", "server.key", "tls.key", "private.key", "privkey.pem", "key.pem", "shadow", "gshadow", "machine.key", "credentials.key",
];

/// Files of names and values.
#[rustfmt::skip]
const PAIR_FILES: &[&str] = &[
    ".env", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".git-credentials", ".npmrc", ".pypirc", ".htpasswd", ".s3cfg", ".boto", ".terraformrc",
    "credentials", "credentials.json", "credentials.yml", "secrets.yaml", "secrets.yml", "secrets.json", "secrets.toml", "secrets.env", "secret.yaml", "auth.json", ".dockercfg",
    "kubeconfig", "terraform.tfstate", "credentials.tfrc.json", ".envrc", "service-account.json", "wp-config.php", "local.settings.json", "hosts.yml", ".rclone.conf", "rclone.conf", ".smbcredentials",
];

/// What the output of `command` holds, if it is secret by the command.
pub(crate) fn of(command: &[u8]) -> Option<Prints> {
    let command = &command[..command.len().min(LONGEST_COMMAND)];
    let mut found = None;
    // A statement is a pipeline; what its last program writes is seen.
    for statement in command.split(|&b| matches!(b, b';' | b'\n' | b'&')) {
        let mut prints = None;
        for simple in statement.split(|&b| b == b'|') {
            let words = words(simple);
            let Some(first) = words.first() else { continue };
            prints = match of_simple(&words) {
                Some(own) => Some(own),
                // What is handed on, and what counts or consumes it.
                None => prints.filter(|_| passes_on(first)),
            };
            if is_redirected(simple) {
                prints = None;
            }
        }
        found = found.max(prints);
    }
    found
}

fn words(simple: &[u8]) -> Vec<&[u8]> {
    let mut words: Vec<&[u8]> =
        simple.split(u8::is_ascii_whitespace).map(trimmed).filter(|word| !word.is_empty()).take(64).collect();
    // What stands before the program: variables, `sudo`, `bash -c`, a shell's substitution.
    while let Some(first) = words.first() {
        let assigns =
            memchr::memchr(b'=', first).is_some_and(|at| first[..at].iter().all(|&b| text::is(b, NAME)));
        let wraps = matches!(
            *first,
            b"sudo"
                | b"env"
                | b"time"
                | b"exec"
                | b"command"
                | b"bash"
                | b"sh"
                | b"-c"
                | b"-lc"
                | b"nohup"
                | b"npx"
                | b"$"
                | b"do"
                | b"then"
                | b"-u"
                | b"-E"
        );
        if words.len() > 1 && (assigns || wraps) {
            words.remove(0);
        } else {
            break;
        }
    }
    words
}

/// A word without its quotes and the signs of a substitution.
fn trimmed(word: &[u8]) -> &[u8] {
    let outer = |b: &u8| matches!(b, b'"' | b'\'' | b'`' | b'(' | b')' | b'{' | b'}');
    let start = word.iter().position(|b| !outer(b) && *b != b'$').unwrap_or(word.len());
    let start = if start > 0 && word.get(start - 1) == Some(&b'$') && !word[..start].contains(&b'(') {
        start - 1
    } else {
        start
    };
    let end = word.iter().rposition(|b| !outer(b)).map_or(start, |last| last + 1);
    &word[start..end.max(start)]
}

fn of_simple(words: &[&[u8]]) -> Option<Prints> {
    let program = base_name(words[0]);
    let lower = program.to_ascii_lowercase();
    for command in COMMANDS {
        if lower != command[0].as_bytes() {
            continue;
        }
        let mut rest = &words[1..];
        let all = command[1..].iter().all(|wanted| {
            let found = rest.iter().position(|word| fits(word, wanted));
            rest = found.map_or(&[][..], |at| &rest[at + 1..]);
            found.is_some()
        });
        if all {
            return Some(Prints::Value);
        }
    }
    if program == b"pass" && words.len() == 2 && !words[1].starts_with(b"-") && words[1].contains(&b'/') {
        return Some(Prints::Value);
    }
    if matches!(&lower[..], b"printenv" | b"env" | b"export" | b"set") && words.len() == 1 {
        return Some(Prints::Pairs);
    }
    let named = |word: &&[u8]| {
        let name = trim_variable(word);
        lexicon::announced(name).is_some_and(|said| said.strength > Strength::Faint)
    };
    if lower == b"printenv" && words[1..].iter().any(&named) {
        return Some(Prints::Value);
    }
    if matches!(&lower[..], b"echo" | b"printf" | b"print" | b"write-output" | b"write-host")
        && words[1..].iter().any(|word| word.contains(&b'$') && named(word))
    {
        return Some(Prints::Value);
    }
    if VIEWERS.iter().any(|viewer| lower == viewer.as_bytes()) {
        // What these look for is no file.
        let pattern = matches!(&lower[..], b"grep" | b"rg" | b"sed" | b"awk" | b"jq" | b"yq" | b"dasel");
        let files = words[1..].iter().filter(|word| !word.starts_with(b"-")).skip(usize::from(pattern));
        return files.filter_map(|word| of_file(word)).max();
    }
    None
}

fn fits(word: &[u8], wanted: &str) -> bool {
    match wanted.strip_prefix('*') {
        Some(part) => text::contains_folded(word, part.trim_end_matches('*').as_bytes()),
        None if wanted.starts_with('-') || wanted.ends_with('-') => word.starts_with(wanted.as_bytes()),
        // secret, secrets, secret/name
        None => {
            word.starts_with(wanted.as_bytes())
                && matches!(text::at(word, wanted.len()), 0 | b's' | b'/' | b':' | b'-')
        }
    }
}

/// `$NAME`, `${NAME}`, `$env:NAME`.
fn trim_variable(word: &[u8]) -> &[u8] {
    let start = memchr::memrchr2(b'$', b':', word).map_or(0, |at| at + 1);
    let word = &word[start..];
    let start = word.iter().position(|&b| text::is(b, ALNUM)).unwrap_or(word.len());
    &word[start..text::run_end(word, start, NAME, 80)]
}

fn base_name(path: &[u8]) -> &[u8] {
    &path[memchr::memrchr2(b'/', b'\\', path).map_or(0, |at| at + 1)..]
}

/// What a file holds, by its name.
fn of_file(path: &[u8]) -> Option<Prints> {
    if path.starts_with(b"-") || path.len() > 400 {
        return None;
    }
    let name = base_name(path).to_ascii_lowercase();
    let is = |names: &[&str]| names.iter().any(|known| name == known.as_bytes());
    // An example is there to be read.
    if [&b"example"[..], b"sample", b"template", b".dist"]
        .iter()
        .any(|word| text::contains_folded(&name, word))
        || name.ends_with(b".pub")
    {
        return None;
    }
    let under = |folder: &[u8]| memchr::memmem::find(path, folder).is_some();
    if is(VALUE_FILES)
        || under(b"/run/secrets/")
        || under(b"/etc/secrets/")
        || under(b"/secrets/") && !name.contains(&b'.')
    {
        return Some(Prints::Value);
    }
    let ends = |ending: &[u8]| name.ends_with(ending);
    if ends(b".pem")
        || ends(b".key") && !ends(b"pub.key")
        || ends(b".token")
        || ends(b".secret")
        || ends(b".password")
        || ends(b".passwd")
        || ends(b"_password.txt")
        || ends(b"password.txt")
        || ends(b"token.txt")
        || ends(b"secret.txt")
    {
        return Some(Prints::Value);
    }
    let dotted = name.starts_with(b".env.") || ends(b".env") || ends(b".tfvars") || ends(b".tfstate");
    let config = name == b"config" && (under(b".kube/") || under(b".aws/"))
        || name == b"config.json" && under(b".docker");
    (is(PAIR_FILES) || dotted || config).then_some(Prints::Pairs)
}

/// Programs at the end of a pipeline that show what they are given.
fn passes_on(program: &[u8]) -> bool {
    #[rustfmt::skip]
    const PASSING: &[&str] = &[
        "base64", "cat", "jq", "yq", "head", "tail", "tr", "cut", "awk", "sed", "grep", "tee", "sort", "uniq", "xargs", "python", "python3", "node",
        "fold", "rev", "less", "more", "bat", "nl", "column", "xxd", "openssl", "gunzip", "zcat", "perl", "ruby", "rg", "strings", "printf", "echo", "gpg", "select-object", "convertfrom-json",
    ];
    let program = base_name(program).to_ascii_lowercase();
    PASSING.iter().any(|known| program == known.as_bytes())
}

/// `> file`: nothing is seen. `2>/dev/null` hides errors only.
fn is_redirected(simple: &[u8]) -> bool {
    memchr::memchr_iter(b'>', simple).any(|at| {
        let before = text::before(simple, at);
        !matches!(before, b'2' | b'-' | b'=') && text::at(simple, at + 1) != b'&' && before != b'&'
    })
}

/// The parts of an output that are secret because of the command, as places in it.
pub(crate) fn secrets(output: &[u8], prints: Prints) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in output.split(|&b| b == b'\n').take(MOST_LINES) {
        let from = at;
        at += line.len() + 1;
        if memchr::memmem::find(line, crate::mask::OPENING).is_some() {
            continue;
        }
        let trimmed = line.trim_ascii();
        if trimmed.len() < 4 {
            continue;
        }
        let start = from + (line.len() - line.trim_ascii_start().len());
        if prints == Prints::Value
            && !trimmed.contains(&b' ')
            && !trimmed.contains(&b'\t')
            && is_value(trimmed)
        {
            let quoted = matches!(trimmed[0], b'"' | b'\'')
                && trimmed.len() > 2
                && trimmed[trimmed.len() - 1] == trimmed[0];
            let quote = usize::from(quoted);
            found.push((start + quote, start + trimmed.len() - quote));
            continue;
        }
        words_of(trimmed, start, prints, &mut found);
    }
    found
}

/// A line that is one word is the secret, unless it is a word of an answer or a line of a structure.
fn is_value(line: &[u8]) -> bool {
    let shape = Shape::of(line);
    let structure =
        matches!(line[line.len() - 1], b':' | b'{' | b'[') || line.iter().all(u8::is_ascii_punctuation);
    let pair = memchr::memchr2(b'=', b':', line).is_some_and(|sign| {
        sign > 0
            && sign + 1 < line.len()
            && line[..sign].iter().all(|&b| text::is(b, NAME) || b == b'"')
            && !Shape::of(&line[..sign]).is_opaque()
            && Shape::of(&line[..sign]).flips <= 2
    });
    let word = shape.letters() == shape.len
        && shape.is_wordy()
        && (shape.len < 8 || matches!(line, b"undefined" | b"forbidden" | b"unauthorized"));
    !structure && !pair && !word && !line.starts_with(b"-----") && !holes::is_placeholder(line)
}

/// Words of a longer line that nobody would write: after a name, in a column, in quotes.
fn words_of(line: &[u8], start: usize, prints: Prints, found: &mut Vec<(usize, usize)>) {
    // A table of two columns: key   value.
    let key = text::run_end(line, 0, NAME, 64);
    let gap = text::run_end(line, key, text::BLANK, 64);
    #[rustfmt::skip]
    const METADATA: &[&[u8]] = &[
        b"created_time", b"version", b"deletion_time", b"destroyed", b"custom_metadata", b"lease_id", b"lease_duration", b"lease_renewable", b"renewable", b"Key", b"token_duration", b"token_renewable", b"token_policies", b"identity_policies", b"policies", b"token_accessor",
    ];
    if prints == Prints::Value
        && key > 0
        && gap >= key + 3
        && gap < line.len()
        && !METADATA.contains(&&line[..key])
    {
        let value = &line[gap..];
        if !value.contains(&b' ')
            && value.len() >= 4
            && !value.iter().all(|&b| b == b'-')
            && value != b"Value"
            && !holes::is_placeholder(value)
        {
            found.push((start + gap, start + line.len()));
        }
        return;
    }
    let mut at = 0;
    for word in line.split(|b| matches!(b, b' ' | b'\t' | b'"' | b'\'' | b'=' | b',')) {
        let from = at;
        at += word.len() + 1;
        let opaque = Shape::of(word).is_opaque() || judge::is_disorderly(word);
        if word.len() >= 8 && opaque && judge::is_opaque_cell(word) {
            found.push((start + from, start + from + word.len()));
        }
    }
}

/// Members of an answer that hold what was asked for: `{"name": "db", "value": "…"}`.
pub(crate) fn is_answer(name: &[u8]) -> bool {
    [
        &b"value"[..],
        b"secretstring",
        b"secretbinary",
        b"plaintext",
        b"accesstoken",
        b"payload",
        b"data",
        b"secretvalue",
        b"notes",
        b"content",
    ]
    .iter()
    .any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_print_secrets_are_known() {
        for command in [
            "kubectl get secret db -o jsonpath='{.data.password}' | base64 -d",
            "kubectl -n prod get secrets/db -o go-template='{{.data}}'",
            "aws configure get aws_secret_access_key",
            "aws secretsmanager get-secret-value --secret-id db",
            "az keyvault secret show --name x --vault-name v",
            "vault read secret/db",
            "vault kv get -field=pw secret/app",
            "gh auth token",
            "pass show work/db",
            "op read op://a/b/c",
            "cat ~/.ssh/id_rsa",
            "cat /run/secrets/db",
            "gcloud auth print-access-token",
            "echo $DB_PASSWORD",
            "printenv GITHUB_TOKEN",
            "cd /x && sudo cat /etc/shadow",
            "security find-generic-password -w -s x",
            "AWS_PROFILE=p aws ecr get-login-password",
            "sops -d secrets.enc.yaml",
            "heroku config:get KEY -a app",
            "bash -c 'vault read x'",
            "openssl rand -base64 32",
            "bw get password github",
        ] {
            assert_eq!(of(command.as_bytes()), Some(Prints::Value), "{command}");
        }
        assert_eq!(of(b"cat .env"), Some(Prints::Pairs));
    }

    #[test]
    fn everyday_commands_print_none() {
        for command in [
            "ls -la",
            "cat README.md",
            "git log -p",
            "kubectl get pods",
            "kubectl get secrets",
            "aws configure get region",
            "vault status",
            "gh pr list",
            "cat package.json",
            "cat .env.example",
            "cat ~/.ssh/id_rsa.pub",
            "vault read secret/db > out",
            "gh auth token | docker login --password-stdin",
            "echo $HOME",
            "printenv PATH",
            "pass",
            "cargo test token",
            "grep -rn password src/",
            "cat src/token.rs",
            "openssl version",
            "echo done",
            "aws s3 ls",
            "terraform plan",
            "git config user.name",
        ] {
            assert_eq!(of(command.as_bytes()), None, "{command}");
        }
    }
}
