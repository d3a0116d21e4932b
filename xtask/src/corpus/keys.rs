//! Key material and everything else that is more than a name and a value: PEM, key files, hashes, seeds, URLs.

use super::format::{base64, expand};
use super::random::Random;
use super::{Split, Value};

/// A made text with its values, before any view is laid over it.
pub(crate) struct Material {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) values: Vec<Value>,
}

#[rustfmt::skip]
const LABELS: &[(&str, &str, usize)] = &[
    ("pem-rsa", "RSA PRIVATE KEY", 1190), ("pem-pkcs8", "PRIVATE KEY", 1217), ("pem-ec", "EC PRIVATE KEY", 121),
    ("pem-openssh", "OPENSSH PRIVATE KEY", 399), ("pem-dsa", "DSA PRIVATE KEY", 447), ("pem-encrypted", "ENCRYPTED PRIVATE KEY", 1300),
    ("pgp-private", "PGP PRIVATE KEY BLOCK", 900), ("pem-ed25519", "PRIVATE KEY", 48),
];

const DASHES: &str = "-----";

#[rustfmt::skip]
const SEED_WORDS: &[&str] = &[
    "abandon", "ability", "absorb", "acoustic", "adapt", "agent", "album", "anchor", "apple", "arctic", "armor", "artist",
    "basket", "benefit", "blanket", "bottom", "bronze", "cabin", "cactus", "canyon", "cargo", "census", "chalk", "cigar",
    "coral", "crater", "cushion", "dawn", "decade", "dolphin", "eager", "echo", "elder", "embark", "fabric", "fatigue",
    "gadget", "galaxy", "habit", "hazard", "icon", "insect", "jaguar", "kidney", "lava", "mimic", "nephew", "orbit",
    "pelican", "quantum", "ribbon", "salmon", "tattoo", "umbrella", "vacant", "walnut", "yellow", "zebra", "zone", "wisdom",
];

/// One text of the given ordinal; the ordinal chooses the kind, the split the way it is shown.
pub(crate) fn make(ordinal: usize, split: Split, random: &mut Random) -> Material {
    match ordinal % 4 {
        0 | 1 => pem(random, split),
        2 => structured(random, split),
        _ => service_account(random),
    }
}

fn pem(random: &mut Random, split: Split) -> Material {
    let &(kind, label, size) = &LABELS[random.below(LABELS.len())];
    let bytes = random.bytes(size);
    let encoded = base64(&bytes);
    let width = if label.starts_with("OPENSSH") { 70 } else { 64 };
    let lines: Vec<&str> =
        encoded.as_bytes().chunks(width).filter_map(|line| std::str::from_utf8(line).ok()).collect();
    let begin = format!("{DASHES}BEGIN {label}{DASHES}");
    let end = format!("{DASHES}END {label}{DASHES}");
    let body = lines.join("\n");
    let third = (lines.len() / 3).max(1);
    let (shown, text) = match (random.below(6), split) {
        (0, _) => (body.clone(), format!("{begin}\n{body}\n{end}\n")),
        (1, _) => {
            let cut = lines[..lines.len() - third / 2].join("\n");
            (cut.clone(), format!("$ head -n 20 key.pem\n{begin}\n{cut}\n"))
        }
        (2, _) if lines.len() > 4 => {
            let cut = lines[third..].join("\n");
            (cut.clone(), format!("{cut}\n{end}\n$ echo done\n"))
        }
        (3, Split::Development) => {
            (body.clone(), format!("tls:\n  key: |\n    {begin}\n    {}\n    {end}\n", lines.join("\n    ")))
        }
        (3, Split::HeldOut) => {
            (body.clone(), format!("PRIVATE_KEY=\"{begin}\\n{}\\n{end}\\n\"\n", lines.join("\\n")))
        }
        (4, Split::Development) => (
            body.clone(),
            format!("{{\"key\": \"{begin}\\n{}\\n{end}\\n\", \"alg\": \"RS256\"}}\n", lines.join("\\n")),
        ),
        (4, Split::HeldOut) => {
            (body.clone(), format!("const key = `{begin}\n{body}\n{end}`;\nmodule.exports = key;\n"))
        }
        _ => (body.clone(), format!("$ cat ~/.ssh/id\n{begin}\n{body}\n{end}\n$ \n")),
    };
    Material { kind, text, values: vec![Value::core(shown)] }
}

fn service_account(random: &mut Random) -> Material {
    let encoded = base64(&random.bytes(1217));
    let lines: Vec<&str> =
        encoded.as_bytes().chunks(64).filter_map(|line| std::str::from_utf8(line).ok()).collect();
    let head = expand(
        "{\n  \"type\": \"service_account\",\n  \"project_id\": \"acme-{d5}\",\n  \"private_key_id\": \"",
        random,
    );
    let identifier = expand("{h40}", random);
    let tail = expand(
        "  \"client_email\": \"svc@acme-{d5}.iam.gserviceaccount.com\",\n  \"client_id\": \"{d21}\"\n}\n",
        random,
    );
    let text = format!(
        "{head}{identifier}\",\n  \"private_key\": \"{DASHES}BEGIN PRIVATE KEY{DASHES}\\n{}\\n{DASHES}END PRIVATE KEY{DASHES}\\n\",\n{tail}",
        lines.join("\\n")
    );
    Material { kind: "gcp-service-account", text, values: vec![Value::core(lines.join("\n"))] }
}

/// (kind, splits, template); the part between backticks is the value.
#[rustfmt::skip]
const STRUCTURED: &[(&str, &str, &str)] = &[
    ("bcrypt", "D", "«user»:`$2y$10${w53}`\n"),
    ("bcrypt", "H", "password_hash: `$2b$12${w53}`\n"),
    ("apache-md5", "DH", "admin:`$apr1${w8}${w22}`\n"),
    ("shadow-sha512", "D", "root:`$6${w16}${w86}`:19700:0:99999:7:::\nbin:*:19700:0:99999:7:::\n"),
    ("shadow-sha512", "H", "daemon:*:19000:0:99999:7:::\nsvc:`$6$rounds=5000${w16}${w86}`:19812::::::\n"),
    ("shadow-yescrypt", "DH", "ubuntu:`$y$j9T${w22}${w43}`:19812:0:99999:7:::\n"),
    ("argon2", "DH", "`$argon2id$v=19$m=65536,t=3,p=4${b22}${b43}`\n"),
    ("django-pbkdf2", "H", "('admin', 'pbkdf2_sha256$600000${w22}$`{b43}=`')\n"),
    ("otpauth", "D", "otpauth://totp/Acme:«user»?secret=`{k32}`&issuer=Acme\n"),
    ("otpauth", "H", "zbarimg qr.png\nQR-Code:otpauth://totp/GitHub:me?secret=`{k16}`&issuer=GitHub&digits=6\n"),
    ("totp-seed", "DH", "TOTP_SECRET=`{k32}`\n"),
    ("aws-presigned", "D", "https://b.s3.amazonaws.com/f.zip?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=900&X-Amz-Signature=`{h64}`\n"),
    ("aws-presigned", "H", "<img src=\"https://b.s3.eu-west-1.amazonaws.com/p.png?X-Amz-Date=20260101T000000Z&X-Amz-SignedHeaders=host&X-Amz-Signature=`{h64}`\">\n"),
    ("gcs-signed", "H", "https://storage.googleapis.com/b/o?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Signature=`{h256}`\n"),
    ("azure-sas", "D", "https://a.blob.core.windows.net/c?sv=2022-11-02&ss=b&srt=sco&sp=rwd&se=2027-01-01&sig=`{w40}%2B{w2}%3D`\n"),
    ("azure-storage-string", "D", "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=`{b86}==`;EndpointSuffix=core.windows.net\n"),
    ("azure-service-bus", "H", "Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=`{b43}=`\n"),
    ("azure-iot", "D", "HostName=acme.azure-devices.net;DeviceId=d1;SharedAccessKey=`{b43}=`\n"),
    ("azure-app-config", "H", "Endpoint=https://acme.azconfig.io;Id=x-l0-s0:{w20};Secret=`{b43}=`\n"),
    ("azure-cosmos-string", "H", "AccountEndpoint=https://acme.documents.azure.com:443/;AccountKey=`{b86}==`;\n"),
    ("jwk", "D", "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"{s43}\",\"y\":\"{s43}\",\"d\":\"`{s43}`\"}\n"),
    ("jwk", "H", "{\n  \"kty\": \"oct\",\n  \"alg\": \"HS256\",\n  \"k\": \"`{s43}`\"\n}\n"),
    ("putty", "D", "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: k\nPublic-Lines: 1\nAAAAB3NzaC1yc2E{b40}\nPrivate-Lines: 3\n`{b64}\n{b64}\n{b50}==`\nPrivate-MAC: {h64}\n"),
    ("putty", "H", "PuTTY-User-Key-File-2: ssh-ed25519\nEncryption: none\nComment: ed\nPublic-Lines: 1\nAAAAC3NzaC1lZDI1NTE5{b40}\nPrivate-Lines: 1\n`{b43}=`\nPrivate-MAC: {h40}\n"),
    ("kubeconfig-data", "D", "users:\n- name: admin\n  user:\n    client-key-data: `LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ{b600}==`\n"),
    ("kubeconfig-data", "H", "    client-key-data: `LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0t{b300}==`\ncontexts: []\n"),
    ("age-key-file", "DH", "# created: {time}\n# public key: age1{c58}\n`AGE-SECRET-KEY-1{C58}`\n"),
    ("snowflake-dsn", "H", "snowflake://«user»:`{w18}`@acct.eu-west-1/db/public?warehouse=wh\n"),
    ("slack-cookie", "D", "Cookie: d=`xoxd-{w120}%3D`; x={h8}\n"),
    ("gitlab-session", "H", "Cookie: _gitlab_session=`{h32}`\n"),
    ("laravel-session", "D", "Cookie: XSRF-TOKEN=`eyJpdiI6{w120}`; laravel_session=`eyJpdiI6{w140}`\n"),
    ("jenkins-crumb-user", "H", "curl -u admin:`11{h32}` https://ci.acme.dev/job/x/build\n"),
    ("oauth-code-exchange", "D", "POST /token grant_type=authorization_code&client_id=web&client_secret=`{w40}`&code={w30}\n"),
    ("oauth-password-grant", "H", "grant_type=password&username=bob&password=`{w14}`&scope=all\n"),
    ("hex-private-key-file", "D", "{\"address\":\"{h40}\",\"privateKey\":\"`{h64}`\"}\n"),
    ("solana-style", "H", "wallet_secret_key = `{588}`\n"),
    ("rails-credentials", "D", "config/master.key\n--\nRAILS_MASTER_KEY=`{h32}`\n"),
];

fn structured(random: &mut Random, split: Split) -> Material {
    if random.one_in(12) {
        let count = if random.one_in(2) { 12 } else { 24 };
        let words: Vec<&str> = (0..count).map(|_| random.pick(SEED_WORDS)).collect();
        let phrase = words.join(" ");
        let text = match split {
            Split::Development => format!("MNEMONIC=\"{phrase}\"\n"),
            Split::HeldOut | Split::Fresh => format!("seed phrase: {phrase}\n"),
        };
        return Material { kind: "mnemonic", text, values: vec![Value::plain(phrase)] };
    }
    let fitting: Vec<_> = STRUCTURED.iter().filter(|row| split.shows(row.1)).collect();
    let &&(kind, _, template) = &fitting[random.below(fitting.len())];
    let text = expand(&template.replace("«user»", "deploy"), random);
    let values = text
        .split('`')
        .enumerate()
        .filter(|(index, _)| index % 2 == 1)
        .map(
            |(_, value)| {
                if value.contains('\n') { Value::core(value.into()) } else { Value::plain(value.into()) }
            },
        )
        .collect();
    Material { kind, text: text.replace('`', ""), values }
}
