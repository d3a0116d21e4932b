//! Configuration files that hold a named value.

use super::{Carrier, Fit, Group, carrier};

const fn word(takes: &'static str, text: &'static str) -> Carrier {
    carrier(Group::File, takes, Fit::Word, text)
}

const fn quoted(takes: &'static str, text: &'static str) -> Carrier {
    carrier(Group::File, takes, Fit::Quoted, text)
}

#[rustfmt::skip]
pub(super) const ALL: &[Carrier] = &[
    // INI, properties and friends.
    word("ENP", "[«word»]\nhost = «host»\nport = 5432\n«name» = «V»\ntimeout = 30\n"),
    word("ENP", "[default]\nregion=eu-central-1\noutput=json\n«name»=«V»\n"),
    word("ENP", "server.port=8080\n«dotted»=«V»\nlogging.level.root=INFO\n"),
    word("ENP", "# «word» service\nspring.application.name=«word»\nspring.«dotted»: «V»\nmanagement.port=9090\n"),
    word("P", "spring.datasource.url=jdbc:postgresql://«host»:5432/«db»\nspring.datasource.username=«user»\nspring.datasource.password=«V»\n"),
    word("P", "hibernate.connection.username «user»\nhibernate.connection.password «V»\nhibernate.show_sql false\n"),
    word("P", "[client]\nuser=«user»\npassword=«V»\nhost=«host»\n"),
    quoted("P", "[mysqldump]\nuser = «user»\npassword = \"«V»\"\n"),
    word("P", "«host»:5432:«db»:«user»:«V»\n"),
    word("P", "# hostname:port:database:username:password\nlocalhost:5432:*:«user»:«V»\n*:*:*:replicator:«V»\n"),
    word("ENP", "machine «host»\n  login «user»\n  password «V»\n"),
    word("ENP", "machine api.«host» login «user» password «V»\nmachine «host» login anonymous\n"),
    word("EN", "registry=https://registry.npmjs.org/\n//registry.npmjs.org/:_authToken=«V»\nsave-exact=true\n"),
    word("EN", "@«word»:registry=https://npm.pkg.github.com\n//npm.pkg.github.com/:_authToken=«V»\nalways-auth=true\n"),
    word("ENP", "[distutils]\nindex-servers =\n    pypi\n\n[pypi]\nusername = __token__\npassword = «V»\n"),
    word("ENP", "[testpypi]\nrepository: https://test.pypi.org/legacy/\nusername: «user»\npassword: «V»\n"),
    word("EN", "[profile «word»]\naws_access_key_id = AKIA{k16}\naws_secret_access_key = «V»\nregion = us-east-1\n"),
    quoted("EN", "[registry]\ntoken = \"«V»\"\n"),
    quoted("EN", "[registries.«word»]\nindex = \"sparse+https://«host»/\"\ntoken = \"«V»\"\n"),
    word("EN", "---\n:backtrace: false\n:rubygems_api_key: «V»\n"),
    // YAML.
    word("ENP", "«word»:\n  host: «host»\n  «name»: «V»\n  retries: 3\n"),
    quoted("ENP", "services:\n  «word»:\n    image: postgres:16\n    environment:\n      «NAME»: \"«V»\"\n      TZ: UTC\n    ports:\n      - \"5432:5432\"\n"),
    word("ENP", "services:\n  api:\n    build: .\n    environment:\n      - NODE_ENV=production\n      - «NAME»=«V»\n    depends_on: [db]\n"),
    word("ENP", "version: '3.8'\nservices:\n  worker:\n    environment:\n      QUEUE: default\n      «NAME»: «V»\n"),
    quoted("ENP", "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n        - name: «word»\n          env:\n            - name: «NAME»\n              value: \"«V»\"\n"),
    word("ENP", "        env:\n        - name: LOG_LEVEL\n          value: debug\n        - name: «NAME»\n          value: «V»\n"),
    quoted("ENP", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: «word»\ntype: Opaque\nstringData:\n  «kebab»: \"«V»\"\n"),
    word("ENP", "kind: Secret\napiVersion: v1\nmetadata: {name: «word»-credentials}\nstringData:\n  «name»: «V»\n"),
    word("ENP", "jobs:\n  deploy:\n    runs-on: ubuntu-latest\n    env:\n      «NAME»: «V»\n    steps:\n      - uses: actions/checkout@v4\n"),
    quoted("ENP", "      - name: Deploy\n        run: ./deploy.sh\n        env:\n          REGION: eu\n          «NAME»: '«V»'\n"),
    word("ENP", "ansible_user: «user»\nansible_host: {ip}\n«name»: «V»\nntp_server: pool.ntp.org\n"),
    quoted("ENP", "all:\n  vars:\n    ansible_connection: ssh\n    «name»: \"«V»\"\n  hosts:\n    web1:\n"),
    word("P", "production:\n  adapter: mysql2\n  database: «db»\n  username: «user»\n  password: «V»\n  pool: 5\n"),
    quoted("P", "default: &default\n  adapter: postgresql\n  username: «user»\n  password: '«V»'\n  encoding: unicode\n"),
    word("P", "spring:\n  datasource:\n    url: jdbc:mysql://«host»:3306/«db»\n    username: «user»\n    password: «V»\n"),
    quoted("P", "  mail:\n    host: smtp.«host»\n    port: 587\n    username: «user»@«host»\n    password: \"«V»\"\n"),
    // JSON.
    quoted("ENP", "{\n  \"name\": \"«word»\",\n  \"«camel»\": \"«V»\",\n  \"timeout\": 30\n}\n"),
    quoted("ENP", "{\"host\":\"«host»\",\"port\":5432,\"«name»\":\"«V»\",\"ssl\":true}\n"),
    quoted("P", "{\n  \"ConnectionStrings\": {\n    \"Default\": \"Server=«host»;Database=«db»;User Id=«user»;Password=«url»;Encrypt=True\"\n  }\n}\n"),
    quoted("ENP", "{\n  \"Logging\": {\"LogLevel\": {\"Default\": \"Information\"}},\n  \"«word»\": {\n    \"Endpoint\": \"https://«host»\",\n    \"«camel»\": \"«V»\"\n  }\n}\n"),
    quoted("EN", "{\n  \"mcpServers\": {\n    \"«word»\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"@«word»/mcp\"],\n      \"env\": {\"«NAME»\": \"«V»\"}\n    }\n  }\n}\n"),
    quoted("EN", "{\"mcpServers\":{\"remote\":{\"url\":\"https://«host»/mcp\",\"headers\":{\"Authorization\":\"Bearer «V»\"}}}}\n"),
    quoted("ENP", "{\"version\":4,\"resources\":[{\"type\":\"aws_db_instance\",\"name\":\"«word»\",\"instances\":[{\"attributes\":{\"address\":\"«host»\",\"«name»\":\"«V»\",\"port\":5432}}]}]}\n"),
    quoted("ENP", "  \"outputs\": {\n    \"«name»\": {\n      \"value\": \"«V»\",\n      \"type\": \"string\",\n      \"sensitive\": true\n    }\n  },\n"),
    quoted("EN", "{\n  \"type\": \"authorized_user\",\n  \"client_id\": \"{d12}-{n32}.apps.googleusercontent.com\",\n  \"client_secret\": \"«V»\",\n  \"refresh_token\": \"1//0{s40}\"\n}\n"),
    // HCL, XML, plist, Docker, Jenkins.
    quoted("ENP", "region     = \"eu-west-1\"\n«name» = \"«V»\"\ninstance_count = 2\n"),
    quoted("ENP", "variable \"«name»\" {\n  type    = string\n  default = \"«V»\"\n}\n"),
    quoted("EN", "provider \"«word»\" {\n  «name» = \"«V»\"\n  region = \"fr-par\"\n}\n"),
    quoted("ENP", "resource \"aws_db_instance\" \"main\" {\n  engine   = \"postgres\"\n  username = \"«user»\"\n  «name» = \"«V»\"\n}\n"),
    quoted("ENP", "<configuration>\n  <appSettings>\n    <add key=\"«camel»\" value=\"«V»\" />\n    <add key=\"Mode\" value=\"live\" />\n  </appSettings>\n</configuration>\n"),
    word("ENP", "<server>\n  <id>«word»</id>\n  <username>«user»</username>\n  <password>«V»</password>\n</server>\n"),
    word("ENP", "<settings>\n  <«camel»>«V»</«camel»>\n  <retries>3</retries>\n</settings>\n"),
    quoted("ENP", "<property name=\"«dotted»\" value=\"«V»\"/>\n<property name=\"pool.size\" value=\"8\"/>\n"),
    word("ENP", "<plist version=\"1.0\">\n<dict>\n\t<key>CFBundleName</key>\n\t<string>«word»</string>\n\t<key>«camel»</key>\n\t<string>«V»</string>\n</dict>\n</plist>\n"),
    word("ENP", "<dict>\n    <key>«NAME»</key>\n    <string>«V»</string>\n    <key>Debug</key>\n    <false/>\n</dict>\n"),
    word("ENP", "FROM node:20\nWORKDIR /app\nENV «NAME»=«V»\nCOPY . .\nCMD [\"node\", \"index.js\"]\n"),
    word("ENP", "FROM python:3.12\nARG «NAME»=«V»\nRUN pip install -r requirements.txt\n"),
    quoted("ENP", "FROM alpine\nENV «NAME» \"«V»\"\nEXPOSE 80\n"),
    word("ENP", "ENV NODE_ENV=production \\\n    «NAME»=«V» \\\n    PORT=3000\n"),
    quoted("ENP", "pipeline {\n  agent any\n  environment {\n    «NAME» = '«V»'\n    REGION = 'eu'\n  }\n}\n"),
    quoted("ENP", "node {\n  withEnv([\"«NAME»=«V»\"]) {\n    sh 'make deploy'\n  }\n}\n"),
    quoted("P", "define( 'DB_NAME', '«db»' );\ndefine( 'DB_USER', '«user»' );\ndefine( 'DB_PASSWORD', '«V»' );\ndefine( 'DB_HOST', 'localhost' );\n"),
    quoted("N", "define('AUTH_KEY',         '«V»');\ndefine('WP_DEBUG', false);\n"),
    quoted("P", "DATABASES = {\n    'default': {\n        'ENGINE': 'django.db.backends.postgresql',\n        'USER': '«user»',\n        'PASSWORD': '«V»',\n        'HOST': '«host»',\n    }\n}\n"),
    quoted("N", "DEBUG = True\nSECRET_KEY = 'django-insecure-«V»'\nALLOWED_HOSTS = []\n"),
    quoted("P", "$databases['default']['default'] = array(\n  'database' => '«db»',\n  'username' => '«user»',\n  'password' => '«V»',\n  'driver' => 'mysql',\n);\n"),
    quoted("P", "'mysql' => [\n    'driver' => 'mysql',\n    'username' => '«user»',\n    'password' => \"«V»\",\n],\n"),
    quoted("ENP", "network={\n    ssid=\"«word»-guest\"\n    psk=\"«V»\"\n    key_mgmt=WPA-PSK\n}\n"),
    word("N", "[Interface]\nAddress = {ip}/24\nPrivateKey = «V»\nListenPort = 51820\n"),
    word("P", "username,password,role\n«user»,«V»,admin\n"),
    quoted("P", "\"name\",\"url\",\"username\",\"password\"\n\"«word»\",\"https://«host»\",\"«user»\",\"«V»\"\n"),
    word("EN", "service;user;api_key\n«word»;«user»;«V»\n"),
    word("ENP", "| service | user | password |\n|---|---|---|\n| «word» | «user» | «V» |\n"),
];
