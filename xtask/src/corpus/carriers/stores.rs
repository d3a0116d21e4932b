//! Secret stores and encoded credentials: base64 in Kubernetes, Docker and Basic authentication.

use super::{Carrier, Fit, Group, carrier};

const fn file(takes: &'static str, text: &'static str) -> Carrier {
    carrier(Group::File, takes, Fit::Quoted, text)
}

const fn header(takes: &'static str, text: &'static str) -> Carrier {
    carrier(Group::Header, takes, Fit::Quoted, text)
}

#[rustfmt::skip]
pub(super) const ALL: &[Carrier] = &[
    file("ENP", "apiVersion: v1\ndata:\n  «kebab»: «64»\nkind: Secret\nmetadata:\n  name: «word»\n  namespace: default\n  resourceVersion: \"{d6}\"\n  uid: {uuid}\ntype: Opaque\n"),
    file("ENP", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: «word»-db\ntype: Opaque\ndata:\n  username: YWRtaW4=\n  «name»: «64»\n"),
    file("ENP", "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"«word»\"},\"data\":{\"«kebab»\":\"«64»\"},\"type\":\"Opaque\"}\n"),
    file("ENP", "{\n    \"apiVersion\": \"v1\",\n    \"data\": {\n        \"«NAME»\": \"«64»\"\n    },\n    \"kind\": \"Secret\",\n    \"type\": \"Opaque\"\n}\n"),
    file("EP", "{\n  \"auths\": {\n    \"https://index.docker.io/v1/\": {\n      \"auth\": \"«pair64»\"\n    }\n  }\n}\n"),
    file("EP", "{\"auths\":{\"ghcr.io\":{\"username\":\"«user»\",\"auth\":\"«pair64»\"}},\"credsStore\":\"\"}\n"),
    file("EP", "//npm.«host»/:_auth=«pair64»\nemail=«user»@«host»\nalways-auth=true\n"),
    file("EP", "registry=https://npm.«host»/\n_auth = «pair64»\n"),
    header("ENP", "Authorization: Basic «pair64»\n"),
    header("ENP", "> GET /api HTTP/1.1\n> Host: «host»\n> Authorization: Basic «pair64»\n> User-Agent: curl/8.4.0\n"),
    header("ENP", "curl -H 'Authorization: Basic «pair64»' https://«host»/rest/api/latest\n"),
    header("ENP", "{'Authorization': 'Basic «pair64»', 'Accept': 'application/json'}\n"),
    header("EP", "        proxy_set_header Authorization \"Basic «pair64»\";\n        proxy_pass http://«host»;\n"),
    header("EP", "requests.get(url, headers={\"Authorization\": \"Basic «pair64»\"})\n"),
    file("ENP", "kubectl get secret «word» -o jsonpath='{.data.«name»}'\n«64»\n"),
    file("ENP", "$ kubectl get secret «word» -o yaml\napiVersion: v1\ndata:\n  «NAME»: «64»\nkind: Secret\n"),
    file("EN", "$ kubectl get secret «word» -o jsonpath='{.data.token}' | base64 -d\n«V»\n"),
    file("ENP", "$ kubectl get secret «word» -o json | jq '.data | map_values(@base64d)'\n{\n  \"«name»\": \"«V»\"\n}\n"),
    file("ENP", "$ vault kv get secret/«word»\n====== Data ======\nKey         Value\n---         -----\n«name»    «V»\n"),
    file("ENP", "Key                 Value\n---                 -----\nlease_duration      768h\n«name»            «V»\n"),
    file("ENP", "{\n    \"ARN\": \"arn:aws:secretsmanager:eu-west-1:{d12}:secret:«word»\",\n    \"Name\": \"«word»\",\n    \"SecretString\": \"«V»\",\n    \"CreatedDate\": 17{d8}.0\n}\n"),
    file("ENP", "{\"ARN\":\"arn:aws:secretsmanager:us-east-1:{d12}:secret:x\",\"SecretString\":\"{\\\"username\\\":\\\"«user»\\\",\\\"password\\\":\\\"«V»\\\"}\"}\n"),
    file("ENP", "{\n    \"Parameter\": {\n        \"Name\": \"/prod/«name»\",\n        \"Type\": \"SecureString\",\n        \"Value\": \"«V»\",\n        \"Version\": 3\n    }\n}\n"),
    file("N", "{\n    \"Credentials\": {\n        \"AccessKeyId\": \"ASIA{k16}\",\n        \"SecretAccessKey\": \"«V»\",\n        \"Expiration\": \"{time}\"\n    }\n}\n"),
    file("N", "{\"AccessKey\":{\"UserName\":\"«user»\",\"AccessKeyId\":\"AKIA{k16}\",\"Status\":\"Active\",\"SecretAccessKey\":\"«V»\"}}\n"),
    file("N", "User Name,Access key ID,Secret access key\n«user»,AKIA{k16},«V»\n"),
    file("N", "{\"appId\":\"{uuid}\",\"displayName\":\"«word»-sp\",\"password\":\"«V»\",\"tenant\":\"{uuid}\"}\n"),
    file("EN", "users:\n- name: «word»-admin\n  user:\n    token: «V»\ncurrent-context: prod\n"),
    file("EP", "users:\n- name: «user»\n  user:\n    username: «user»\n    password: \"«V»\"\n"),
    file("ENP", "$ op item get «word» --fields password\n«V»\n"),
    file("ENP", "$ pass show «word»/prod\n«V»\nlogin: «user»\n"),
    file("ENP", "{\"object\":\"item\",\"name\":\"«word»\",\"login\":{\"username\":\"«user»\",\"password\":\"«V»\",\"totp\":null}}\n"),
    file("ENP", "security find-generic-password -w -s «word»\nkeychain: login.keychain-db\npassword: \"«V»\"\n"),
    file("EN", "github.com:\n    user: «user»\n    oauth_token: «V»\n    git_protocol: https\n"),
    file("EN", "hosts:\n  gitlab.com:\n    token: «V»\n    api_host: gitlab.com\n"),
    file("E", "https://«user»:«V»@github.com\nhttps://«user»@gitlab.com\n"),
    file("E", "[url \"https://«user»:«V»@github.com/\"]\n\tinsteadOf = https://github.com/\n"),
    file("EN", "[credential]\n\thelper = store\n[github]\n\tuser = «user»\n\ttoken = «V»\n"),
];
