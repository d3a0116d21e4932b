//! Key material in other dresses.

use crate::corpus::Value;
use crate::corpus::format::{base64, expand};
use crate::corpus::keys::Material;
use crate::corpus::random::Random;

const DASHES: &str = "-----";

#[rustfmt::skip]
const LABELS: &[(&str, usize)] = &[
    ("PRIVATE KEY", 1190), ("RSA PRIVATE KEY", 2348), ("EC PRIVATE KEY", 167), ("OPENSSH PRIVATE KEY", 1823), ("ENCRYPTED PRIVATE KEY", 1329),
];

/// The part between backticks is the value.
#[rustfmt::skip]
const STRUCTURED: &[(&str, &str)] = &[
    ("bcrypt", "INSERT INTO users VALUES (1, 'ann', '`$2a$10${w53}`', true);\n"),
    ("scrypt", " id | email | password_digest\n----+-------+----------------\n  7 | a@acme.dev | `$scrypt$ln=16,r=8,p=1${b22}${b43}`\n"),
    ("shadow-sha256", "postgres:`$5${w16}${w43}`:19622:0:99999:7:::\n"),
    ("mysql-native", "CREATE USER 'ro'@'%' IDENTIFIED WITH mysql_native_password AS '`*{H40}`';\n"),
    ("scram", "ALTER ROLE app PASSWORD '`SCRAM-SHA-256$4096:{b22}==${b43}=:{b43}=`';\n"),
    ("otpauth", "Scan the code or open otpauth://totp/AWS:root@acme?algorithm=SHA1&digits=6&secret=`{k32}`\n"),
    ("aws-presigned", "GET https://acme-exports.s3.us-east-1.amazonaws.com/q3.csv?X-Amz-Credential=AKIA{k16}%2F20261109%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Signature=`{h64}`\n"),
    ("cloudfront-signed", "https://d{n13}.cloudfront.net/v.mp4?Expires=1799999999&Signature=`{s340}__`&Key-Pair-Id=K{N13}\n"),
    ("azure-sas", "az storage blob upload --blob-url 'https://acme.blob.core.windows.net/logs/a.gz?sp=cw&st=2026-11-01T00:00:00Z&spr=https&sv=2022-11-02&sr=c&sig=`{w41}%3D`'\n"),
    ("azure-event-hub", "\"EventHub\": \"Endpoint=sb://acme-eh.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=`{b43}=`;EntityPath=orders\"\n"),
    ("azure-redis", "acme.redis.cache.windows.net:6380,password=`{b43}=`,ssl=True,abortConnect=False\n"),
    ("jwk-rsa", "{\"kty\":\"RSA\",\"e\":\"AQAB\",\"kid\":\"a1\",\"n\":\"{s342}\",\"d\":\"`{s342}`\"}\n"),
    ("wireguard", "[Interface]\nPrivateKey = `{b43}=`\nDNS = 1.1.1.1\n\n[Peer]\nPublicKey = {b43}=\nPresharedKey = `{b43}=`\n"),
    ("openvpn-static", "-----BEGIN OpenVPN Static key V1-----\n`{h32}\n{h32}\n{h32}\n{h32}`\n-----END OpenVPN Static key V1-----\n"),
    ("kubeadm-join", "kubeadm join {ip}:6443 --token `{n6}.{n16}` --discovery-token-ca-cert-hash sha256:{h64}\n"),
    ("swarm-join", "docker swarm join --token `SWMTKN-1-{n50}-{n25}` {ip}:2377\n"),
    ("k3s-node", "# cat /var/lib/rancher/k3s/server/node-token\n`K10{h64}::server:{h32}`\n"),
    ("htdigest", "deploy:`$apr1${w8}${w22}`\nreader:`$2y$05${w53}`\n"),
    ("ansible-become", "[web]\n{ip} ansible_user=ops ansible_ssh_pass=`{w14}` ansible_port=2222\n"),
    ("oauth-body", "client_id={n20}&client_secret=`{w40}`&grant_type=client_credentials&audience=api\n"),
    ("oauth-refresh", "refresh_token=`{s64}`&grant_type=refresh_token&client_id=cli\n"),
    ("reset-link", "Reset link: https://app.acme.dev/reset-password?token=`{s43}`&uid=81\n"),
    ("session-cookie", "Set-Cookie: JSESSIONID=`{H32}`; Path=/; HttpOnly\n"),
    ("digest-secret", "HMAC_SECRET=`{h64}`\nHMAC_ALGO=sha256\n"),
    ("cifs", "//nas/share /mnt cifs username=ops,password=`{w12}`,uid=1000 0 0\n"),
    ("ppp", "# client server secret addresses\n\"acme\" * \"`{w16}`\" *\n"),
    ("cisco", "username admin privilege 15 secret 5 `$1${w4}${w22}`\nsnmp-server community `{w12}` RO\n"),
    ("ipsec", "{ip} {ip} : PSK \"`{w32}`\"\n"),
    ("grub", "password_pbkdf2 root `grub.pbkdf2.sha512.10000.{H128}.{H128}`\n"),
    ("netrc", "default login ops password `{w18}`\n"),
];

/// One text; the ordinal chooses between key blocks and single values.
pub(crate) fn make(ordinal: usize, random: &mut Random) -> Material {
    if ordinal.is_multiple_of(3) { block(random) } else { structured(random) }
}

fn block(random: &mut Random) -> Material {
    let &(label, size) = &LABELS[random.below(LABELS.len())];
    let encoded = base64(&random.bytes(size));
    let lines: Vec<&str> =
        encoded.as_bytes().chunks(64).filter_map(|line| std::str::from_utf8(line).ok()).collect();
    let (begin, end) = (format!("{DASHES}BEGIN {label}{DASHES}"), format!("{DASHES}END {label}{DASHES}"));
    let body = lines.join("\n");
    let text = match random.below(7) {
        0 => format!(
            "resource \"tls\" \"k\" {{\n  key_pem = <<-EOT\n    {begin}\n    {}\n    {end}\n  EOT\n}}\n",
            lines.join("\n    ")
        ),
        1 => format!("<key>\n{begin}\n{body}\n{end}\n</key>\n<tls-auth>\n</tls-auth>\n"),
        2 => format!("KEY = \"\"\"{begin}\n{body}\n{end}\n\"\"\"\n"),
        3 => format!(
            "String key = \"{begin}\\n\" +\n    \"{}\\n\" +\n    \"{end}\";\n",
            lines.join("\\n\" +\n    \"")
        ),
        4 => format!("echo \"{begin}\n{body}\n{end}\" > ~/.ssh/deploy && chmod 600 ~/.ssh/deploy\n"),
        5 => format!("my key is this one, please add it to the agent:\n{begin}\n{body}\n{end}\nthanks!\n"),
        _ => format!(
            "Bag Attributes\n    friendlyName: acme\nKey Attributes: <No Attributes>\n{begin}\n{body}\n{end}\n"
        ),
    };
    Material { kind: "key-block", text, values: vec![Value::core(body)] }
}

fn structured(random: &mut Random) -> Material {
    let &(kind, template) = &STRUCTURED[random.below(STRUCTURED.len())];
    let text = expand(template, random);
    let values = text
        .split('`')
        .enumerate()
        .filter(|(index, _)| index % 2 == 1)
        .map(
            |(_, part)| {
                if part.contains('\n') { Value::core(part.into()) } else { Value::plain(part.into()) }
            },
        )
        .collect();
    Material { kind, text: text.replace('`', ""), values }
}
