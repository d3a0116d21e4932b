//! Secrets that no name stands beside: what a command printed, a block under its key, the other half of a pair.

use crate::{redact, redactor, without_hashes};

fn envelope(value: &serde_json::Value) -> String {
    let output = redactor().envelope(value.to_string().as_bytes());
    without_hashes(&String::from_utf8(output.json).expect("an envelope is text"))
}

#[test]
fn what_a_command_prints_is_secret_by_the_command() {
    for command in [
        "kubectl get secret db -o jsonpath='{.data.password}' | base64 -d",
        "aws configure get aws_secret_access_key",
        "az keyvault secret show --vault-name v --name db --query value -o tsv",
        "vault read -field=password secret/db",
        "gh auth token",
        "pass show work/db",
        "op read op://Private/db/password",
        "cat /run/secrets/db",
        "echo $DB_PASSWORD",
        "cd infra && terraform output -raw pw",
    ] {
        let response = serde_json::json!({"stdout": "blue tiger\nblue-tiger-42\n", "stderr": ""});
        let input = serde_json::json!({"command": command});
        let out = envelope(
            &serde_json::json!({"tool_name": "Bash", "tool_input": input, "tool_response": response}),
        );
        assert!(!out.contains("blue-tiger-42"), "{command}: {out}");
        // A client may name the output first; serde_json sorts the names, so this is written by hand.
        let late = format!("{{\"tool_response\":{response},\"tool_input\":{input}}}");
        let out = redactor().envelope(late.as_bytes()).json;
        assert!(!String::from_utf8_lossy(&out).contains("blue-tiger-42"), "{command}");
    }
    for command in ["ls", "cat README.md", "git log -p", "gh auth token | docker login --password-stdin"] {
        let out = envelope(&serde_json::json!({
            "tool_input": {"command": command}, "tool_response": {"stdout": "blue-tiger-42\n"},
        }));
        assert!(out.contains("blue-tiger-42"), "{command}: {out}");
    }
}

#[test]
fn an_answer_of_a_vault_is_secret_in_its_value() {
    let answer = serde_json::json!({"id": "https://v.vault.azure.net/secrets/db/1", "name": "db", "value": "bluewhale"});
    assert!(!envelope(&serde_json::json!({"tool_response": answer.to_string()})).contains("bluewhale"));
    let table = "Key     Value\n---     -----\nconn    bluewhale77x\n";
    let out = envelope(
        &serde_json::json!({"tool_input": {"command": "vault kv get secret/app"}, "tool_response": {"stdout": table}}),
    );
    assert!(!out.contains("bluewhale77x") && out.contains("conn"), "{out}");
}

#[test]
fn the_lines_of_a_block_under_a_secret_key_go() {
    for text in [
        "db:\n  password: |\n    bluewhale\n  port: 1\n",
        "db:\n  password: >-\n    bluewhale sea\n    song 12\n  port: 1\n",
        "  12→admin_password: |\n  13→  bluewhale\n  14→next: 1\n",
        "password = <<EOT\nbluewhale\nEOT\n",
        "password = \"\"\"\nbluewhale\n\"\"\"\n",
    ] {
        let out = redact(text);
        assert!(!out.contains("bluewhale") && !out.contains("song"), "{out}");
        assert_eq!(out.lines().count(), text.lines().count(), "{out}");
        assert!(!text.contains("port") || out.contains("port: 1"), "{out}");
    }
    for text in [
        "description: |\n  bluewhale\n",
        "password_hint: |\n  bluewhale\n",
        "password: |\n  {{ .Values.password }}\n",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn a_pair_is_one_in_either_order() {
    for text in [
        r#"{"value": "bluewhale77", "name": "DB_PASSWORD"}"#,
        r#"{"Parameter": {"Name": "/app/x", "Value": "bluewhale", "Type": "SecureString"}}"#,
        r#"{"postData": {"params": [{"name": "password", "value": "bluewhale77"}]}}"#,
        "INSERT INTO settings (k, v) VALUES ('smtp_password', 'bluewhale77');",
        "frobctl login -u admin -p 'bluewhale77' https://h",
    ] {
        assert!(!redact(text).contains("bluewhale"), "{text}");
    }
    for text in [
        "mkdir -p build/output2",
        "docker run -p 8080:80 nginx",
        "cp -p a1 b2",
        "git log -p HEAD~2",
        "ssh -p 2222 h",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn a_private_block_goes_on_in_the_next_element_until_it_is_closed() {
    let out = envelope(&serde_json::json!({"content": [
        {"type": "text", "text": "a <private>one"}, {"type": "text", "text": "two"}, {"type": "text", "text": "three</private> b"}, {"type": "text", "text": "c"},
    ]}));
    for hidden in ["one", "two", "three"] {
        assert!(!out.contains(hidden), "{out}");
    }
    assert!(out.contains(" b\"") && out.contains("\"c\""), "{out}");
    let out = envelope(
        &serde_json::json!({"content": ["a <private>one", "two <private>x</private> three", "four</private> b", "c"]}),
    );
    for hidden in ["one", "two", "three", "four"] {
        assert!(!out.contains(hidden), "{out}");
    }
    assert!(out.contains(" b\"") && out.contains("\"c\""), "{out}");
    let out = envelope(
        &serde_json::json!({"content": [{"text": "a <private>one"}, {"text": "two"}], "later": "three"}),
    );
    assert!(!out.contains("two") && !out.contains("three"), "never closed: {out}");
}

#[test]
fn keys_and_tokens_have_names_in_many_languages() {
    let key = "Xk29vQmZ7LpR4tYwB3qN8sTd";
    for sentence in [
        "Der API-Schlüssel lautet {}",
        "la clé API est {}",
        "la clave de API es {}",
        "a chave da API é {}",
        "la chiave API è {}",
        "ключ API: {}",
        "токен: {}",
        "API密钥是{}",
        "APIキーは{}です",
        "API 키: {}",
        "klucz API to {}",
        "de sleutel is {}",
        "the Datadog key is {}",
        "our Mailchimp API key is {}, use it",
    ] {
        let out = redact(&sentence.replace("{}", key));
        assert!(!out.contains(key), "{out}");
    }
}

#[test]
fn what_a_newcomer_types_is_masked() {
    for typed in [
        "abcdefghijklmnopqrstuvwxyz0123456789",
        "abcdefghijklmnopqrstuvwxyz1234567890",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghij",
        "1234567890abcdefghijklmnopqrstuvwxyz",
        "abcdefghijklmnopqrstuvwxyz",
    ] {
        let line = format!("export GITHUB_TOKEN=ghp_{typed}\n");
        assert!(!redact(&line).contains(typed), "{typed}");
    }
    let hole = format!("export GITHUB_TOKEN=ghp_{}\n", "x".repeat(36));
    assert_eq!(redact(&hole), hole);
}
