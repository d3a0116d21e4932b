//! Which programs take a password as an argument, and where. Data; `commands` reads it.
//!
//! To add one: the name as it is typed (a blank at its end keeps it from being the beginning of a longer
//! word), a word that must follow when the program has many uses, and its flags. Long flags whose name says
//! what they hold (`--password`) need no entry.

/// Which part of a word is the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    /// `user:password`
    AfterColon,
    /// `DOMAIN/user%password`
    AfterPercent,
    /// `user/password@database`
    AfterSlash,
    /// `pass:secret`
    AfterPass,
    /// `user,password`
    AfterComma,
}

/// How a flag meets its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meets {
    /// `-psecret`
    Glued,
    /// `-p secret`, `-p=secret`
    Apart,
    Either,
    /// The n-th word that is no flag, counted from the program.
    Place(usize),
}

#[derive(Debug)]
pub(super) struct Flag {
    pub word: &'static str,
    pub meets: Meets,
    pub part: Part,
}

#[derive(Debug)]
pub(super) struct Program {
    pub name: &'static str,
    /// Only with this word after it: `docker login`.
    pub with: &'static str,
    pub flags: &'static [Flag],
}

const fn flag(word: &'static str, meets: Meets, part: Part) -> Flag {
    Flag { word, meets, part }
}

const MYSQL: &[Flag] = &[flag("-p", Meets::Glued, Part::Whole)];
const APART_P: &[Flag] = &[flag("-p", Meets::Apart, Part::Whole)];
const EITHER_P: &[Flag] = &[flag("-p", Meets::Either, Part::Whole)];
const BIG_P: &[Flag] = &[flag("-P", Meets::Either, Part::Whole)];
const USER: &[Flag] = &[
    flag("-u", Meets::Either, Part::AfterColon),
    flag("--user", Meets::Apart, Part::AfterColon),
    flag("-U", Meets::Apart, Part::AfterColon),
    flag("--proxy-user", Meets::Apart, Part::AfterColon),
];
const OPENSSL: &[Flag] = &[
    flag("-passin", Meets::Apart, Part::AfterPass),
    flag("-passout", Meets::Apart, Part::AfterPass),
    flag("-pass", Meets::Apart, Part::AfterPass),
    flag("-k", Meets::Apart, Part::Whole),
    flag("-password", Meets::Apart, Part::AfterPass),
];
const SMB: &[Flag] =
    &[flag("-U", Meets::Apart, Part::AfterPercent), flag("--user", Meets::Apart, Part::AfterPercent)];
const LDAP: &[Flag] = &[flag("-w", Meets::Either, Part::Whole)];
const REDIS: &[Flag] = &[flag("-a", Meets::Either, Part::Whole), flag("--pass", Meets::Apart, Part::Whole)];
const ZIP: &[Flag] = &[flag("-P", Meets::Either, Part::Whole)];
const SEVEN: &[Flag] = &[flag("-p", Meets::Glued, Part::Whole)];
const APART_W: &[Flag] = &[flag("-w", Meets::Apart, Part::Whole)];
const APART_T: &[Flag] = &[flag("-t", Meets::Apart, Part::Whole)];
const APART_PW: &[Flag] = &[flag("-pw", Meets::Apart, Part::Whole)];
const APART_VALUE: &[Flag] =
    &[flag("--value", Meets::Apart, Part::Whole), flag("--secret-string", Meets::Apart, Part::Whole)];
const FIRST: &[Flag] = &[flag("", Meets::Place(1), Part::Whole)];
const SECOND: &[Flag] = &[flag("", Meets::Place(2), Part::Whole)];
const THIRD: &[Flag] = &[flag("", Meets::Place(3), Part::Whole)];
/// `vault kv put path name=value`: handled where names are, unless the name says nothing.
const LOGIN_PAIR: &[Flag] =
    &[flag("-u", Meets::Either, Part::AfterColon), flag("-l", Meets::Either, Part::AfterColon)];

#[rustfmt::skip]
pub(super) static PROGRAMS: &[Program] = &[
    Program { name: "mysql", with: "", flags: MYSQL },
    Program { name: "mysqldump", with: "", flags: MYSQL },
    Program { name: "mysqladmin", with: "", flags: MYSQL },
    Program { name: "mysqlimport", with: "", flags: MYSQL },
    Program { name: "mysqlshow", with: "", flags: MYSQL },
    Program { name: "mysqlcheck", with: "", flags: MYSQL },
    Program { name: "mysqlsh", with: "", flags: MYSQL },
    Program { name: "mariadb", with: "", flags: MYSQL },
    Program { name: "mariadb-dump", with: "", flags: MYSQL },
    Program { name: "mariadb-admin", with: "", flags: MYSQL },
    Program { name: "xtrabackup", with: "", flags: MYSQL },
    Program { name: "mongo", with: "", flags: EITHER_P },
    Program { name: "mongosh", with: "", flags: EITHER_P },
    Program { name: "mongodump", with: "", flags: EITHER_P },
    Program { name: "mongorestore", with: "", flags: EITHER_P },
    Program { name: "mongoexport", with: "", flags: EITHER_P },
    Program { name: "mongoimport", with: "", flags: EITHER_P },
    Program { name: "cqlsh", with: "", flags: EITHER_P },
    Program { name: "sshpass", with: "", flags: EITHER_P },
    Program { name: "docker", with: "login", flags: APART_P },
    Program { name: "podman", with: "login", flags: APART_P },
    Program { name: "buildah", with: "login", flags: APART_P },
    Program { name: "skopeo", with: "login", flags: APART_P },
    Program { name: "nerdctl", with: "login", flags: APART_P },
    Program { name: "helm", with: "login", flags: APART_P },
    Program { name: "oras", with: "login", flags: APART_P },
    Program { name: "crane", with: "login", flags: APART_P },
    Program { name: "oc login", with: "", flags: APART_P },
    Program { name: "az ", with: "login", flags: APART_P },
    Program { name: "cf login", with: "", flags: APART_P },
    Program { name: "argocd", with: "login", flags: APART_P },
    Program { name: "redis-cli", with: "", flags: REDIS },
    Program { name: "redis-benchmark", with: "", flags: REDIS },
    Program { name: "valkey-cli", with: "", flags: REDIS },
    Program { name: "curl", with: "", flags: USER },
    Program { name: "httpie", with: "", flags: &[flag("-a", Meets::Either, Part::AfterColon), flag("--auth", Meets::Apart, Part::AfterColon)] },
    Program { name: "http ", with: "", flags: &[flag("-a", Meets::Either, Part::AfterColon), flag("--auth", Meets::Apart, Part::AfterColon)] },
    Program { name: "https ", with: "", flags: &[flag("-a", Meets::Either, Part::AfterColon), flag("--auth", Meets::Apart, Part::AfterColon)] },
    Program { name: "xh ", with: "", flags: &[flag("-a", Meets::Either, Part::AfterColon), flag("--auth", Meets::Apart, Part::AfterColon)] },
    Program { name: "sqlcmd", with: "", flags: BIG_P },
    Program { name: "bcp ", with: "", flags: BIG_P },
    Program { name: "isql", with: "", flags: BIG_P },
    Program { name: "tsql", with: "", flags: BIG_P },
    Program { name: "ipmitool", with: "", flags: BIG_P },
    Program { name: "mosquitto_pub", with: "", flags: BIG_P },
    Program { name: "mosquitto_sub", with: "", flags: BIG_P },
    Program { name: "sqlplus", with: "", flags: &[flag("", Meets::Place(1), Part::AfterSlash)] },
    Program { name: "rman ", with: "", flags: &[flag("target", Meets::Apart, Part::AfterSlash)] },
    Program { name: "openssl", with: "", flags: OPENSSL },
    Program { name: "zip ", with: "", flags: ZIP },
    Program { name: "unzip ", with: "", flags: ZIP },
    Program { name: "7z ", with: "", flags: SEVEN },
    Program { name: "7za ", with: "", flags: SEVEN },
    Program { name: "7zz ", with: "", flags: SEVEN },
    Program { name: "unrar ", with: "", flags: SEVEN },
    Program { name: "ldapsearch", with: "", flags: LDAP },
    Program { name: "ldapadd", with: "", flags: LDAP },
    Program { name: "ldapmodify", with: "", flags: LDAP },
    Program { name: "ldapdelete", with: "", flags: LDAP },
    Program { name: "ldapwhoami", with: "", flags: LDAP },
    Program { name: "ldappasswd", with: "", flags: &[flag("-w", Meets::Either, Part::Whole), flag("-s", Meets::Apart, Part::Whole), flag("-a", Meets::Apart, Part::Whole)] },
    Program { name: "smbclient", with: "", flags: SMB },
    Program { name: "rpcclient", with: "", flags: SMB },
    Program { name: "smbmap", with: "", flags: APART_P },
    Program { name: "crackmapexec", with: "", flags: APART_P },
    Program { name: "netexec", with: "", flags: APART_P },
    Program { name: "evil-winrm", with: "", flags: APART_P },
    Program { name: "winexe", with: "", flags: SMB },
    Program { name: "xfreerdp", with: "", flags: &[flag("/p:", Meets::Glued, Part::Whole)] },
    Program { name: "rdesktop", with: "", flags: APART_P },
    Program { name: "net use", with: "", flags: &[flag("", Meets::Place(3), Part::Whole)] },
    Program { name: "lftp", with: "", flags: &[flag("-u", Meets::Either, Part::AfterComma)] },
    Program { name: "htpasswd", with: "-", flags: &[flag("", Meets::Place(3), Part::Whole)] },
    Program { name: "rabbitmqctl", with: "add_user", flags: &[flag("", Meets::Place(3), Part::Whole)] },
    Program { name: "rabbitmqctl", with: "change_password", flags: &[flag("", Meets::Place(3), Part::Whole)] },
    Program { name: "rabbitmqadmin", with: "", flags: APART_P },
    Program { name: "vault login", with: "", flags: &[flag("", Meets::Place(1), Part::Whole)] },
    Program { name: "ssh-keygen", with: "", flags: &[flag("-N", Meets::Apart, Part::Whole), flag("-P", Meets::Apart, Part::Whole)] },
    Program { name: "wpa_passphrase", with: "", flags: &[flag("", Meets::Place(2), Part::Whole)] },
    Program { name: "mc alias set", with: "", flags: &[flag("", Meets::Place(4), Part::Whole)] },
    Program { name: "mc config host add", with: "", flags: &[flag("", Meets::Place(4), Part::Whole)] },
    Program { name: "security add-generic-password", with: "", flags: &[flag("-w", Meets::Apart, Part::Whole)] },
    Program { name: "security unlock-keychain", with: "", flags: APART_P },
    Program { name: "security import", with: "", flags: &[flag("-P", Meets::Apart, Part::Whole)] },
    Program { name: "signtool", with: "sign", flags: &[flag("/p", Meets::Apart, Part::Whole)] },
    Program { name: "psexec", with: "", flags: APART_P },
    Program { name: "wmic", with: "", flags: &[flag("/password:", Meets::Glued, Part::Whole)] },
    Program { name: "schtasks", with: "", flags: &[flag("/p", Meets::Apart, Part::Whole), flag("/rp", Meets::Apart, Part::Whole)] },
    Program { name: "snmpwalk", with: "", flags: &[flag("-A", Meets::Apart, Part::Whole), flag("-X", Meets::Apart, Part::Whole)] },
    Program { name: "snmpget", with: "", flags: &[flag("-A", Meets::Apart, Part::Whole), flag("-X", Meets::Apart, Part::Whole)] },
    Program { name: "expdp", with: "", flags: &[flag("", Meets::Place(1), Part::AfterSlash)] },
    Program { name: "impdp", with: "", flags: &[flag("", Meets::Place(1), Part::AfterSlash)] },
    Program { name: "neo4j-admin", with: "set-initial-password", flags: &[flag("", Meets::Place(2), Part::Whole)] },
    Program { name: "cypher-shell", with: "", flags: APART_P },
    Program { name: "gh secret set", with: "", flags: &[flag("--body", Meets::Apart, Part::Whole), flag("-b", Meets::Either, Part::Whole)] },
    Program { name: "plink", with: "", flags: &[flag("-pw", Meets::Apart, Part::Whole)] },
    Program { name: "pscp", with: "", flags: &[flag("-pw", Meets::Apart, Part::Whole)] },
    Program { name: "psftp", with: "", flags: &[flag("-pw", Meets::Apart, Part::Whole)] },
    Program { name: "qpdf", with: "", flags: &[flag("--encrypt", Meets::Apart, Part::Whole)] },
    Program { name: "pdftk", with: "", flags: &[flag("user_pw", Meets::Apart, Part::Whole), flag("owner_pw", Meets::Apart, Part::Whole), flag("input_pw", Meets::Apart, Part::Whole)] },
    Program { name: "chpasswd", with: "", flags: &[] },
    Program { name: "useradd", with: "", flags: APART_P },
    Program { name: "usermod", with: "", flags: APART_P },
    Program { name: "twine", with: "upload", flags: APART_P },
    Program { name: "doctl", with: "auth", flags: APART_T },
    Program { name: "snyk auth", with: "", flags: FIRST },
    Program { name: "npm login", with: "", flags: APART_P },
    Program { name: "nuget", with: "push", flags: &[flag("-ApiKey", Meets::Apart, Part::Whole)] },
    Program { name: "dotnet nuget", with: "push", flags: &[flag("-k", Meets::Apart, Part::Whole), flag("--api-key", Meets::Apart, Part::Whole)] },
    Program { name: "dotnet nuget", with: "add", flags: APART_P },
    Program { name: "cargo login", with: "", flags: FIRST },
    Program { name: "gem push", with: "", flags: &[flag("-k", Meets::Apart, Part::Whole)] },
    Program { name: "poetry config", with: "http-basic", flags: THIRD },
    Program { name: "poetry config", with: "pypi-token", flags: SECOND },
    Program { name: "poetry publish", with: "", flags: APART_P },
    Program { name: "flit publish", with: "", flags: APART_P },
    Program { name: "hatch publish", with: "", flags: &[flag("-a", Meets::Apart, Part::Whole)] },
    Program { name: "composer config", with: "http-basic", flags: THIRD },
    Program { name: "composer config", with: "github-oauth", flags: SECOND },
    Program { name: "conan user", with: "", flags: EITHER_P },
    Program { name: "conan remote login", with: "", flags: EITHER_P },
    Program { name: "huggingface-cli login", with: "", flags: APART_T },
    Program { name: "wandb login", with: "", flags: FIRST },
    Program { name: "sentry-cli", with: "login", flags: APART_T },
    Program { name: "gcloud sql", with: "users", flags: APART_P },
    Program { name: "aws ssm put-parameter", with: "--type SecureString", flags: APART_VALUE },
    Program { name: "aws ssm put-parameter", with: "SecureString", flags: APART_VALUE },
    Program { name: "aws secretsmanager", with: "", flags: APART_VALUE },
    Program { name: "az keyvault secret set", with: "", flags: APART_VALUE },
    Program { name: "flyctl auth", with: "", flags: APART_T },
    Program { name: "pulumi config set", with: "--secret", flags: SECOND },
    Program { name: "travis encrypt", with: "", flags: FIRST },
    Program { name: "circleci setup", with: "", flags: APART_T },
    Program { name: "ngrok config add-authtoken", with: "", flags: FIRST },
    Program { name: "ngrok authtoken", with: "", flags: FIRST },
    Program { name: "tailscale up", with: "", flags: &[flag("--authkey", Meets::Apart, Part::Whole), flag("--auth-key", Meets::Apart, Part::Whole)] },
    Program { name: "cloudflared service install", with: "", flags: FIRST },
    Program { name: "gitlab-runner register", with: "", flags: &[flag("-r", Meets::Apart, Part::Whole), flag("-t", Meets::Apart, Part::Whole)] },
    Program { name: "consul", with: "acl", flags: &[flag("-secret", Meets::Apart, Part::Whole)] },
    Program { name: "dotenvx set", with: "", flags: SECOND },
    Program { name: "databricks secrets put", with: "", flags: &[flag("--string-value", Meets::Apart, Part::Whole)] },
    Program { name: "ab ", with: "", flags: &[flag("-A", Meets::Apart, Part::AfterColon), flag("-P", Meets::Apart, Part::AfterColon)] },
    Program { name: "ftp ", with: "", flags: LOGIN_PAIR },
    Program { name: "ncftpput", with: "", flags: APART_P },
    Program { name: "ncftpget", with: "", flags: APART_P },
    Program { name: "x11vnc", with: "", flags: &[flag("-passwd", Meets::Apart, Part::Whole), flag("-storepasswd", Meets::Apart, Part::Whole)] },
    Program { name: "vncviewer", with: "", flags: &[flag("-passwd", Meets::Apart, Part::Whole)] },
    Program { name: "xfreerdp3", with: "", flags: &[flag("/p:", Meets::Glued, Part::Whole)] },
    Program { name: "wfreerdp", with: "", flags: &[flag("/p:", Meets::Glued, Part::Whole)] },
    Program { name: "cmdkey", with: "", flags: &[flag("/pass:", Meets::Glued, Part::Whole)] },
    Program { name: "net user", with: "", flags: SECOND },
    Program { name: "dsadd", with: "user", flags: &[flag("-pwd", Meets::Apart, Part::Whole)] },
    Program { name: "dsmod", with: "user", flags: &[flag("-pwd", Meets::Apart, Part::Whole)] },
    Program { name: "psexec64", with: "", flags: APART_P },
    Program { name: "PsExec", with: "", flags: APART_P },
    Program { name: "nxc ", with: "", flags: APART_P },
    Program { name: "hydra", with: "", flags: APART_P },
    Program { name: "nmcli", with: "", flags: &[flag("password", Meets::Apart, Part::Whole)] },
    Program { name: "samba-tool user", with: "", flags: THIRD },
    Program { name: "ldapcompare", with: "", flags: LDAP },
    Program { name: "ldapmodrdn", with: "", flags: LDAP },
    Program { name: "kadmin", with: "", flags: &[flag("-pw", Meets::Apart, Part::Whole), flag("-w", Meets::Apart, Part::Whole)] },
    Program { name: "addprinc", with: "", flags: APART_PW },
    Program { name: "rar ", with: "", flags: &[flag("-p", Meets::Glued, Part::Whole), flag("-hp", Meets::Glued, Part::Whole)] },
    Program { name: "7zr ", with: "", flags: SEVEN },
    Program { name: "qpdf", with: "", flags: &[flag("--password", Meets::Apart, Part::Whole)] },
    Program { name: "puttygen", with: "", flags: &[flag("--new-passphrase", Meets::Apart, Part::Whole)] },
    Program { name: "certutil", with: "", flags: APART_P },
    Program { name: "pk12util", with: "", flags: &[flag("-W", Meets::Apart, Part::Whole), flag("-K", Meets::Apart, Part::Whole)] },
    Program { name: "osslsigncode", with: "", flags: &[flag("-pass", Meets::Apart, Part::Whole)] },
    Program { name: "security set-key-partition-list", with: "", flags: &[flag("-k", Meets::Apart, Part::Whole)] },
    Program { name: "security create-keychain", with: "", flags: APART_P },
    Program { name: "security add-internet-password", with: "", flags: APART_W },
    Program { name: "xcrun", with: "altool", flags: &[flag("-p", Meets::Apart, Part::Whole)] },
    Program { name: "dscl", with: "-passwd", flags: THIRD },
    Program { name: "sysadminctl", with: "", flags: &[flag("-newPassword", Meets::Apart, Part::Whole)] },
    Program { name: "mqttx", with: "", flags: BIG_P },
    Program { name: "mosquitto_rr", with: "", flags: BIG_P },
    Program { name: "mosquitto_passwd", with: "-b", flags: THIRD },
    Program { name: "influx ", with: "", flags: &[flag("-password", Meets::Apart, Part::Whole), flag("-p", Meets::Apart, Part::Whole), flag("-t", Meets::Apart, Part::Whole)] },
    Program { name: "sqlldr", with: "", flags: &[flag("", Meets::Place(1), Part::AfterSlash)] },
    Program { name: "sqlcl", with: "", flags: &[flag("", Meets::Place(1), Part::AfterSlash)] },
    Program { name: "freebcp", with: "", flags: BIG_P },
    Program { name: "fisql", with: "", flags: BIG_P },
    Program { name: "mssql-cli", with: "", flags: BIG_P },
    Program { name: "db2 connect", with: "using", flags: &[flag("using", Meets::Apart, Part::Whole)] },
    Program { name: "isql-fb", with: "", flags: &[flag("-p", Meets::Apart, Part::Whole)] },
    Program { name: "gbak", with: "", flags: &[flag("-pas", Meets::Apart, Part::Whole)] },
    Program { name: "cbq ", with: "", flags: APART_P },
    Program { name: "couchbase-cli", with: "", flags: APART_P },
    Program { name: "nodetool", with: "", flags: APART_PW },
    Program { name: "nodetool", with: "-u", flags: APART_PW },
    Program { name: "rclone obscure", with: "", flags: FIRST },
    Program { name: "http-prompt", with: "", flags: &[flag("--auth", Meets::Apart, Part::AfterColon)] },
    Program { name: "p4 ", with: "", flags: BIG_P },
    Program { name: "add-user.sh", with: "", flags: APART_P },
    Program { name: "kcadm.sh", with: "", flags: &[flag("-p", Meets::Apart, Part::Whole), flag("--new-password", Meets::Apart, Part::Whole)] },
    Program { name: "rabbitmqctl", with: "authenticate_user", flags: THIRD },
    Program { name: "grafana-cli", with: "reset-admin-password", flags: THIRD },
    Program { name: "grafana-cli admin reset-admin-password", with: "", flags: FIRST },
    Program { name: "wp user", with: "", flags: &[flag("--user_pass", Meets::Apart, Part::Whole)] },
    Program { name: "snmpset", with: "", flags: &[flag("-A", Meets::Apart, Part::Whole), flag("-X", Meets::Apart, Part::Whole)] },
    Program { name: "snmpbulkwalk", with: "", flags: &[flag("-A", Meets::Apart, Part::Whole), flag("-X", Meets::Apart, Part::Whole)] },
    Program { name: "networksetup -setairportnetwork", with: "", flags: THIRD },
    Program { name: "ibmcloud login", with: "", flags: APART_P },
];
