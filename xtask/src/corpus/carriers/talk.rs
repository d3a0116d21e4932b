//! Source code with a literal in it, and people talking.

use super::{Carrier, Fit, Group, carrier};

const fn code(takes: &'static str, text: &'static str) -> Carrier {
    carrier(Group::Code, takes, Fit::Quoted, text)
}

const fn talk(takes: &'static str, text: &'static str) -> Carrier {
    carrier(Group::Talk, takes, Fit::Word, text)
}

#[rustfmt::skip]
pub(super) const ALL: &[Carrier] = &[
    code("ENP", "const «camel» = \"«V»\";\nconst timeout = 3000;\n"),
    code("ENP", "let «camel» = '«V»'\nexport default { retries: 2 }\n"),
    code("ENP", "import requests\n\n«NAME» = \"«V»\"\n\ndef fetch():\n    return requests.get(URL)\n"),
    code("ENP", "class Config:\n    DEBUG = False\n    «NAME» = '«V»'\n"),
    code("ENP", "    private static final String «NAME» = \"«V»\";\n"),
    code("ENP", "    String «camel» = \"«V»\";\n    client.connect();\n"),
    code("ENP", "const «camel» = \"«V»\" // TODO: move to the vault\n\nfunc main() {}\n"),
    code("ENP", "\t«camel» := \"«V»\"\n\tif err != nil {\n\t\treturn err\n\t}\n"),
    code("ENP", "const «NAME»: &str = \"«V»\";\n"),
    code("ENP", "let «name» = String::from(\"«V»\");\n"),
    code("ENP", "$«name» = '«V»';\n$debug = false;\n"),
    code("ENP", "define('«NAME»', '«V»');\n"),
    code("ENP", "config.«name» = '«V»'\nconfig.cache_classes = true\n"),
    code("ENP", "  «name»: \"«V»\",\n  timeout: 5_000\n"),
    code("ENP", "public string «camel» { get; set; } = \"«V»\";\n"),
    code("ENP", "static let «camel» = \"«V»\"\n"),
    code("ENP", "#define «NAME» \"«V»\"\n#define MAX_RETRY 5\n"),
    code("ENP", "os.environ[\"«NAME»\"] = \"«V»\"\n"),
    code("ENP", "process.env.«NAME» = '«V»';\n"),
    code("ENP", "client = Client(«name»=\"«V»\", timeout=10)\n"),
    code("ENP", "new Client({ «camel»: '«V»', region: 'eu' })\n"),
    code("ENP", "conn = connect(host='«host»', user='«user»', «name»='«V»')\n"),
    code("ENP", "val «camel» = \"«V»\"\nval retries = 3\n"),
    code("ENP", "config :«word», «name»: \"«V»\"\n"),
    code("EN", "headers = {'Authorization': f'Bearer «V»'}\n"),
    code("EN", "req.Header.Set(\"Authorization\", \"Bearer «V»\")\n"),
    code("EN", "client.setRequestHeader('X-API-Key', '«V»');\n"),
    code("EN", "axios.defaults.headers.common['Authorization'] = 'Bearer «V»';\n"),
    code("P", "pool = mysql.createPool({ host: '«host»', user: '«user»', password: '«V»' })\n"),
    code("P", "DriverManager.getConnection(url, \"«user»\", \"«V»\"); // password inline\n"),
    code("P", "driver.findElement(By.id(\"password\")).sendKeys(\"«V»\");\n"),
    code("P", "await page.fill('#password', '«V»');\n"),
    code("P", "cy.get('input[name=password]').type('«V»')\n"),
    code("P", "assert login(username='«user»', password='«V»').ok\n"),
    code("ENP", "--- a/config.py\n+++ b/config.py\n@@ -1,3 +1,3 @@\n DEBUG = False\n-«NAME» = os.environ['«NAME»']\n+«NAME» = '«V»'\n"),
    code("ENP", "if («camel» === \"«V»\") { return true; }\n"),
    talk("EN", "Please use this api key for the tests: «V» and tell me what you see."),
    talk("EN", "My «name» is «V», the endpoint is https://«host»/v2."),
    talk("EN", "here is the token\n\n«V»\n\nuse it to list the issues"),
    talk("E", "The deploy fails with 401, I think «V» was revoked yesterday. Can you check?"),
    talk("E", "Found in the log: «V» (three times)."),
    talk("E", "I rotated it, the new one is `«V»`."),
    talk("P", "log in as «user», the password is «V» and then open the report page"),
    talk("P", "user: «user»\npassword: «V»\nhost: «host»\n"),
    talk("P", "The admin password is \"«V»\" on staging."),
    talk("P", "Username: «user»  Password: «V»\n"),
    talk("P", "ssh to {ip} with «user» and password `«V»` please"),
    talk("P", "pw: «V»\nuser: «user»\n"),
    talk("P", "credentials for «host»: «user» / «V»"),
    talk("P", "Zugangsdaten: Benutzer «user», Passwort: «V»"),
    talk("P", "Wifi password = «V» (guest network)"),
    talk("P", "root's passwd on the box: «V»\n"),
    talk("P", "set the db password to «V» in the compose file"),
    talk("P", "the passphrase for the key is «V»"),
    talk("EN", "- [ ] revoke «NAME» `«V»`\n- [x] update the docs\n"),
    talk("EN", "I set `«NAME»=«V»` and still get 403."),
    talk("E", "Error: request with key «V» was rejected (invalid_api_key)\n    at send (client.js:88:11)\n"),
    talk("E", "openai.AuthenticationError: Incorrect API key provided: «V». You can find your key in the dashboard.\n"),
    talk("EN", "{time} WARN config: «name» loaded from file value=«V»\n"),
    talk("EN", "[{clock}] level=info msg=\"using credentials\" «name»=«V» user=«user»\n"),
    talk("P", "{time} DEBUG login attempt user=«user» password=«V» ip={ip}\n"),
    talk("P", "{time} INFO  Connecting as «user» with password '«V»'\n"),
];
