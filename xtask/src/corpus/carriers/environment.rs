//! Environment dumps and dotenv files.

use super::{Carrier, Fit, Group, carrier};

const fn word(takes: &'static str, text: &'static str) -> Carrier {
    carrier(Group::Environment, takes, Fit::Word, text)
}

const fn quoted(takes: &'static str, text: &'static str) -> Carrier {
    carrier(Group::Environment, takes, Fit::Quoted, text)
}

#[rustfmt::skip]
pub(super) const ALL: &[Carrier] = &[
    word("ENP", "HOME=/home/«user»\nPATH=/usr/local/bin:/usr/bin:/bin\n«NAME»=«V»\nLANG=en_US.UTF-8\nSHLVL=1\n"),
    word("ENP", "HOSTNAME={h12}\nPYTHON_VERSION=3.12.4\nGPG_KEY_ID={H40}\n«NAME»=«V»\nPWD=/app\n_=/usr/bin/env\n"),
    quoted("ENP", "declare -x HOME=\"/root\"\ndeclare -x «NAME»=\"«V»\"\ndeclare -x OLDPWD\ndeclare -x TERM=\"xterm-256color\"\n"),
    quoted("ENP", "export EDITOR=vim\nexport «NAME»='«V»'\nexport PAGER=less\n"),
    word("ENP", "export «NAME»=«V»\n"),
    quoted("ENP", "«NAME»=\"«V»\"\nDEBUG=false\nPORT=3000\n"),
    quoted("ENP", "# «word» settings, do not commit\n«NAME» = '«V»'\nLOG_LEVEL=info\n"),
    word("ENP", "APP_ENV=production\nAPP_URL=https://«host»\n«NAME»=«V»   # rotate in «word»\nCACHE_TTL=300\n"),
    quoted("ENP", "set -gx «NAME» \"«V»\"\nset -gx EDITOR nvim\n"),
    word("ENP", "C:\\app> set\nALLUSERSPROFILE=C:\\ProgramData\n«NAME»=«V»\nComSpec=C:\\Windows\\system32\\cmd.exe\n"),
    quoted("ENP", "$env:«NAME» = \"«V»\"\n$env:NODE_ENV = \"production\"\n"),
    quoted("ENP", "[Environment]::SetEnvironmentVariable(\"«NAME»\", \"«V»\", \"User\")\n"),
    word("ENP", "=== «word»-api Config Vars\nBUILDPACK_URL:   https://github.com/heroku/buildpack\n«NAME»:          «V»\nWEB_CONCURRENCY: 2\n"),
    word("ENP", "=== «word»-staging-eu Config Vars\n\nDATABASE_POOL:        10\n«NAME»:    «V»\nRACK_ENV:             staging\n"),
    quoted("ENP", "            \"Env\": [\n                \"PATH=/usr/local/sbin:/usr/bin\",\n                \"«NAME»=«V»\",\n                \"NODE_VERSION=20.11.1\"\n            ],\n"),
    quoted("ENP", "\"Config\": {\"Hostname\": \"{h12}\", \"Env\": [\"TZ=UTC\", \"«NAME»=«V»\"], \"Cmd\": [\"node\"]}\n"),
    quoted("ENP", "environ({'SHELL': '/bin/bash', 'PWD': '/srv', '«NAME»': '«V»', 'HOME': '/root', 'LANG': 'C.UTF-8'})\n"),
    quoted("ENP", "{\n  SHELL: '/bin/zsh',\n  «NAME»: '«V»',\n  npm_config_cache: '/root/.npm',\n  HOME: '/root'\n}\n"),
    word("ENP", "    Environment:\n      NODE_ENV:    production\n      «NAME»:  «V»\n      POD_IP:       (v1:status.podIP)\n    Mounts:\n      /data from data (rw)\n"),
    word("ENP", "Environment:\n  LOG_FORMAT:          json\n  «NAME»:      «V»\n  REGION:              eu-west-1\n"),
    word("ENP", "HOME=/root\0«NAME»=«V»\0PATH=/usr/bin\0TERM=xterm\0"),
    word("ENP", "SHELL=/bin/sh\0USER=«user»\0«NAME»=«V»\0"),
    word("ENP", "launchctl setenv «NAME» «V»\nlaunchctl getenv HOME\n"),
    word("ENP", "Environment=NODE_ENV=production «NAME»=«V»\nMainPID=4121\nActiveState=active\n"),
    quoted("ENP", "[Service]\nExecStart=/usr/bin/node /srv/app.js\nEnvironment=\"«NAME»=«V»\"\nRestart=always\n"),
    word("ENP", "[Service]\nUser=«user»\nEnvironment=«NAME»=«V»\nExecStart=/opt/«word»/bin/serve\n"),
    word("EN", "$ printenv «NAME»\n«V»\n"),
    word("EN", "$ echo $«NAME»\n«V»\n$ whoami\n«user»\n"),
    word("ENP", "+ env\n+ sort\nCI=true\n«NAME»=«V»\nGITHUB_ACTIONS=true\n"),
    word("ENP", "::set-env name=«NAME»::«V»\n"),
    quoted("ENP", "Process Environment:\n  «NAME» => \"«V»\"\n  GOPATH => \"/go\"\n"),
    word("ENP", "env.«NAME»=«V»\nenv.HOME=/home/«user»\nos.name=Linux\n"),
    quoted("ENP", "setenv «NAME» \"«V»\"\nsetenv LC_ALL C\n"),
    word("ENP", "SetEnv «NAME» «V»\nSetEnv APP_MODE live\n"),
    word("ENP", "fastcgi_param «NAME» «V»;\nfastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;\n"),
    word("ENP", "passenger_env_var «NAME» «V»;\n"),
];
