//! Envelopes as Claude Code sends them after a command: a `PostToolUse` with the output of a build, of a wanted size.

use serde_json::json;

/// What a build prints, over and over with other numbers: paths, hashes, times, the odd warning.
fn line(number: usize) -> String {
    // Knuth's multiplier: digits that do not repeat, the same in every run.
    let hash = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    match number % 5 {
        0 => format!(
            "   Compiling parser v0.{}.{} (/home/user/project/crates/parser)",
            number % 17,
            number % 9
        ),
        1 => format!("test reader::tests::a_line_of_{}_bytes_is_kept ... ok", hash % 4096),
        2 => format!(
            "warning: unused variable: `count_{}` at src/reader.rs:{}:{}",
            number % 31,
            hash % 900,
            number % 80
        ),
        3 => format!(
            "-rw-r--r-- 1 user user {:>8} Nov 15 22:{:02} target/debug/deps/reader-{hash:016x}.d",
            hash % 999_999,
            number % 60
        ),
        _ => format!(
            "    Finished `dev` profile in {}.{:02}s, {} files checked",
            hash % 60,
            hash % 100,
            number
        ),
    }
}

/// An envelope of `size` bytes, a few bytes more or less.
pub(crate) fn after_a_command(session: &str, size: usize) -> Vec<u8> {
    let envelope = |stdout: &str| {
        json!({
            "session_id": session,
            "transcript_path": format!("/home/user/.claude/projects/-home-user-project/{session}.jsonl"),
            "cwd": "/home/user/project",
            "prompt_id": "7a0de4f4-0000-4000-8000-000000000001",
            "permission_mode": "default",
            "effort": {"level": "high"},
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "cargo test --workspace", "description": "Run the tests"},
            "tool_response": {
                "stdout": stdout, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false
            },
            "tool_use_id": "toolu_01A09q90qw90lq917835lq9",
            "duration_ms": 412
        })
        .to_string()
        .into_bytes()
    };
    let room = size.saturating_sub(envelope("").len());
    let mut stdout = String::new();
    for number in 0.. {
        if stdout.len() >= room {
            break;
        }
        stdout.push_str(&line(number));
        stdout.push('\n');
    }
    stdout.truncate(room);
    envelope(&stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_has_about_the_wanted_size_and_is_json() {
        for size in [1_000, 10_000, 100_000] {
            let bytes = after_a_command("bench", size);
            assert!(serde_json::from_slice::<serde_json::Value>(&bytes).is_ok());
            // Each line end is escaped as two bytes.
            assert!(bytes.len() >= size && bytes.len() < size + size / 20 + 20, "{} for {size}", bytes.len());
        }
    }
}
