//! How an agent sees a text: numbered, colored, diffed, quoted, wrapped in JSON once or twice.
//!
//! A view never alters a value except by the escapes of its own notation, which the scoring undoes.

use super::Split;
use super::carriers::Group;
use super::format::{escape, expand};
use super::random::Random;

type Render = fn(&str, &mut Random) -> String;

#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    pub(crate) name: &'static str,
    /// `D`evelopment, `H`eld out, or both; `F`resh alone.
    splits: &'static str,
    /// Which texts it suits: `f`iles and dumps, `c`ommands, `t`alk.
    suits: &'static str,
    pub(crate) render: Render,
}

#[rustfmt::skip]
const ALL: &[View] = &[
    View { name: "cat -n", splits: "DH", suits: "f", render: cat_numbered },
    View { name: "read", splits: "DH", suits: "f", render: read_numbered },
    View { name: "nl padded", splits: "H", suits: "f", render: |text, random| numbered(text, random, |n| format!("{n:>4}: ")) },
    View { name: "grep", splits: "DH", suits: "f", render: grep },
    View { name: "rg heading", splits: "H", suits: "f", render: |text, random| numbered(text, random, |n| format!("{n}:")) },
    View { name: "rg context", splits: "D", suits: "f", render: |text, random| numbered(text, random, |n| format!("{n}-")) },
    View { name: "ansi", splits: "D", suits: "fc", render: ansi_lines },
    View { name: "ansi words", splits: "H", suits: "fc", render: ansi_words },
    View { name: "git diff", splits: "DH", suits: "f", render: git_diff },
    View { name: "plain diff", splits: "H", suits: "f", render: |text, random| prefixed(text, random.pick(&["> ", "< "])) },
    View { name: "json", splits: "DH", suits: "fct", render: json_once },
    View { name: "json in json", splits: "DH", suits: "fct", render: json_twice },
    View { name: "python repr", splits: "DH", suits: "fc", render: python_repr },
    View { name: "js literal", splits: "H", suits: "fc", render: js_literal },
    View { name: "yaml block", splits: "D", suits: "f", render: |text, _| format!("data:\n  file: |\n{}", prefixed(text, "    ")) },
    View { name: "markdown", splits: "DH", suits: "fc", render: |text, random| format!("Run this:\n\n```{}\n{text}\n```\n\nDone.\n", random.pick(&["", "bash", "yaml", "json"])) },
    View { name: "quoted mail", splits: "H", suits: "ft", render: |text, _| prefixed(text, "> ") },
    View { name: "crlf", splits: "DH", suits: "f", render: |text, _| text.replace("\r\n", "\n").replace('\n', "\r\n") },
    View { name: "container log", splits: "D", suits: "f", render: |text, _| prefixed(text, "web_1  | ") },
    View { name: "timed log", splits: "H", suits: "fc", render: |text, random| prefixed(text, &expand("{time} app[web.1]: ", random)) },
    View { name: "ci log", splits: "D", suits: "fc", render: |text, random| prefixed(text, &expand("{time}0Z ##[debug]", random)) },
    View { name: "tail header", splits: "H", suits: "f", render: |text, _| format!("==> /srv/app/config <==\n{text}\n==> /srv/app/README <==\nhello\n") },
    View { name: "shell prompt", splits: "D", suits: "c", render: |text, _| format!("user@box:~/app$ {text}\nok\n") },
    View { name: "shell trace", splits: "DH", suits: "c", render: |text, random| format!("{}{text}\n", random.pick(&["+ ", "++ ", "+ bash -c "])) },
    View { name: "history", splits: "DH", suits: "c", render: |text, random| format!("  {}  {text}\n  {}  ls -la\n", random.between(100, 400), random.between(401, 900)) },
    View { name: "zsh history", splits: "H", suits: "c", render: |text, random| expand(": 17{d8}:0;", random) + text + "\n" },
    View { name: "script", splits: "D", suits: "c", render: |text, _| format!("#!/usr/bin/env bash\nset -euo pipefail\n\n{text} || exit 1\n") },
    View { name: "makefile", splits: "H", suits: "c", render: |text, _| format!("deploy:\n\t@{text}\n\nclean:\n\trm -rf dist\n") },
    View { name: "blame", splits: "F", suits: "f", render: |text, random| prefixed(text, &expand("{h8} (Ann Lee {date} 12) ", random)) },
    View { name: "pod log", splits: "F", suits: "fct", render: |text, random| prefixed(text, &expand("[pod/api-{h9}-{n5}/api] ", random)) },
    View { name: "syslog", splits: "F", suits: "fc", render: |text, random| prefixed(text, &expand("Nov  9 {clock} box app[{d4}]: ", random)) },
    View { name: "windows prompt", splits: "F", suits: "c", render: |text, _| format!("PS C:\\app> {text}\nok\n") },
    View { name: "recipe", splits: "F", suits: "c", render: |text, _| format!("steps:\n  - run: |\n      {text}\n") },
    View { name: "comment", splits: "F", suits: "fc", render: |text, random| prefixed(text, random.pick(&["// ", "# ", " * ", "-- "])) },
    View { name: "list item", splits: "F", suits: "t", render: |text, _| format!("- {text}\n- thanks\n") },
    View { name: "indented", splits: "H", suits: "fc", render: |text, _| prefixed(text, "\t\t") },
];

/// A random view for a text of this group, or none to leave the text as it is.
pub(crate) fn choose(group: Group, split: Split, random: &mut Random) -> Option<&'static View> {
    let suit = match group {
        Group::Command => 'c',
        Group::Talk => 't',
        Group::Environment | Group::File | Group::Header | Group::Code => 'f',
    };
    let fitting: Vec<&View> =
        ALL.iter().filter(|view| split.shows(view.splits) && view.suits.contains(suit)).collect();
    if fitting.is_empty() { None } else { Some(fitting[random.below(fitting.len())]) }
}

/// Renders each line through `render`, which gets its index.
fn by_line(text: &str, mut render: impl FnMut(usize, &str) -> String) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for (index, line) in text.trim_end_matches('\n').split('\n').enumerate() {
        out.push_str(&render(index, line));
        out.push('\n');
    }
    out
}

fn prefixed(text: &str, prefix: &str) -> String {
    by_line(text, |_, line| format!("{prefix}{line}"))
}

fn numbered(text: &str, random: &mut Random, label: fn(usize) -> String) -> String {
    let first = random.between(1, 180);
    by_line(text, |index, line| label(first + index) + line)
}

fn cat_numbered(text: &str, random: &mut Random) -> String {
    numbered(text, random, |n| format!("{n:>6}\t"))
}

fn read_numbered(text: &str, random: &mut Random) -> String {
    numbered(text, random, |n| format!("{n:>6}\u{2192}"))
}

fn grep(text: &str, random: &mut Random) -> String {
    let path = random.pick(&[
        "config/settings.local",
        "./.env.production",
        "deploy/values.yaml",
        "src/app/config.ts",
    ]);
    let first = random.between(1, 90);
    by_line(text, |index, line| format!("{path}:{}:{line}", first + index))
}

fn ansi_lines(text: &str, random: &mut Random) -> String {
    let color = random.between(31, 37);
    by_line(text, |_, line| format!("\u{1b}[{color}m{line}\u{1b}[0m"))
}

/// Colors each side of the first assignment of a line, as syntax highlighters do.
fn ansi_words(text: &str, _: &mut Random) -> String {
    by_line(text, |_, line| match line.find(['=', ':']) {
        Some(at) if !line[at..].starts_with("://") => format!(
            "\u{1b}[38;5;81m{}\u{1b}[0m\u{1b}[1m{}\u{1b}[0m\u{1b}[38;5;186m{}\u{1b}[0m",
            &line[..at],
            &line[at..=at],
            &line[at + 1..]
        ),
        _ => format!("\u{1b}[2m{line}\u{1b}[22m"),
    })
}

fn git_diff(text: &str, random: &mut Random) -> String {
    let sign = random.pick(&["+", "-", "+"]);
    let count = text.lines().count();
    let head = expand("diff --git a/settings b/settings\nindex {h7}..{h7} 100644\n", random);
    format!(
        "{head}--- a/settings\n+++ b/settings\n@@ -1,{count} +1,{count} @@\n context line\n{}",
        prefixed(text, sign)
    )
}

fn json_once(text: &str, random: &mut Random) -> String {
    let key = random.pick(&["stdout", "content", "output", "text", "body"]);
    format!("{{\"ok\":true,\"{key}\":\"{}\",\"code\":0}}\n", escape(text))
}

fn json_twice(text: &str, random: &mut Random) -> String {
    let inner = json_once(text, random);
    format!("{{\"type\":\"result\",\"payload\":\"{}\"}}\n", escape(&inner))
}

fn python_repr(text: &str, random: &mut Random) -> String {
    let key = random.pick(&["stdout", "data", "message"]);
    let body = text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n").replace('\t', "\\t");
    format!(
        "{{'{key}': '{}', 'returncode': 0, 'ok': True}}\n",
        body.replace('\r', "\\r").replace('\0', "\\x00")
    )
}

fn js_literal(text: &str, _: &mut Random) -> String {
    let body = text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n").replace('\r', "\\r");
    format!(
        "{{\n  status: 0,\n  stdout: '{}',\n  signal: null\n}}\n",
        body.replace('\t', "\\t").replace('\0', "\\x00")
    )
}
