//! Chats, issues, tickets and notes in which somebody hands over a secret.

use super::Carrier;
use crate::corpus::carriers::{Group, carrier};
use crate::corpus::passwords::Fit;

const fn talk(takes: &'static str, text: &'static str) -> Carrier {
    carrier(Group::Talk, takes, Fit::Word, text)
}

#[rustfmt::skip]
pub(super) const ALL: &[Carrier] = &[
    talk("E", "hey, put «V» into the ci settings, i will delete this message later"),
    talk("E", "@«user» can you try with «V» instead? mine has no scope for that repo"),
    talk("E", "Yesterday's leak: «V», committed in {h7}. GitHub has mailed us about it."),
    talk("E", "curl works, but your client does not. I pass «V» to both."),
    talk("E", "1. open the playground\n2. paste «V»\n3. press run\n"),
    talk("E", "Steps to reproduce:\n\n```\nacme --key «V» sync\n```\n\nExpected: it syncs.\n"),
    talk("E", "ok now it printed: \"«V»\" - is that the thing you need?"),
    talk("E", "Old → new: «V» replaces the one from spring"),
    talk("EN", "the «name» you asked for: «V»"),
    talk("EN", "Use «NAME» «V» for staging; production has another one."),
    talk("EN", "For «NAME», paste this: «V»"),
    talk("EN", "api key -> «V»\nregion -> eu\n"),
    talk("EN", "Our access token (valid till friday): «V»"),
    talk("EN", "I've created a secret for you, the value is «V», please store it in the vault."),
    talk("EN", "env vars needed:\n* PORT 3000\n* «NAME» «V»\n"),
    talk("EN", "add this line to your .env and restart\n\n    «NAME»=«V»\n"),
    talk("EN", "it says \"invalid «name»: «V»\" whatever I do"),
    talk("EN", "Le jeton d'accès est «V», ne le partage pas."),
    talk("EN", "Mein API-Schlüssel lautet «V»"),
    talk("EN", "la clave de API es: «V»"),
    talk("EN", "API キーは «V» です"),
    talk("P", "you can sign in with «user»@«host» and «V» as the password"),
    talk("P", "login «user», pass «V», then go to settings"),
    talk("P", "I changed the root password to «V» this morning"),
    talk("P", "the db user is «user» with password «V» on port 5433"),
    talk("P", "password for the zip: «V»"),
    talk("P", "Test account\n  email: «user»@«host»\n  password: «V»\n  role: editor\n"),
    talk("P", "**Login:** `«user»`\n**Password:** `«V»`\n"),
    talk("P", "use «user»:«V» for the basic auth prompt on staging"),
    talk("P", "Hi,\n\nyour temporary password is: «V»\nPlease change it after the first login.\n\nIT\n"),
    talk("P", "my sudo password is «V», just run it"),
    talk("P", "if it asks for a passphrase type «V»"),
    talk("P", "It's the usual one, «V», password never changed since 2019"),
    talk("P", "le mot de passe est «V» pour le compte «user»"),
    talk("P", "das Passwort für den Server ist «V», Benutzer «user»"),
    talk("P", "usuario: «user»\ncontraseña: «V»\n"),
    talk("P", "пароль: «V»\nлогин: «user»\n"),
    talk("P", "senha do banco: «V»"),
    talk("P", "ユーザー: «user»\nパスワード: «V»\n"),
    talk("P", "密码：«V»\n用户名：«user»\n"),
    talk("P", "wachtwoord = «V» (niet doorsturen)"),
    talk("P", "Q: what is the wifi password?\nA: «V»\n"),
    talk("P", "WiFi: «word»-guest / Password: «V» / open until {date}"),
    talk("P", "[{clock}] <«user»> the grafana admin password is «V» btw"),
    talk("P", "\"Set the keystore password to «V»\" says the runbook."),
    talk("P", "Initial admin password generated: «V»\nPlease store it, it will not be shown again.\n"),
    talk("P", "Jenkins initial setup is required. Please use the following password to proceed to installation:\n\n«V»\n\nThis may also be found at: /var/jenkins_home/secrets/initialAdminPassword\n"),
    talk("P", "A temporary password is generated for root@localhost: «V»\n"),
    talk("P", "GENERATED ROOT PASSWORD: «V»\n"),
    talk("EN", "Created API key «word»-ci\n\n  Key: «V»\n\nThis is the only time the key is displayed.\n"),
    talk("EN", "✔ Token created\n  name:   «word»\n  token:  «V»\n  scopes: read, write\n"),
    talk("EN", "Service account created.\nSecret (shown once): «V»\n"),
];
