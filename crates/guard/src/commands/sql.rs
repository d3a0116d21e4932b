//! What is said to a database: statements that drop, empty or change whole tables. Read by their first words, never as a
//! language: a statement that is not known is nobody's question.

use super::Verdict;
use super::look::Look;
use super::place::is_temporary;
use super::shipped::{DATABASES, Finding, asks_for_help};

const CLIENTS: &str = "psql pgcli mysql mariadb mycli sqlite3 sqlite litecli duckdb sqlcmd usql clickhouse-client clickhouse \
    cockroach cqlsh mongosh mongo bq snowsql sqlplus isql heroku wrangler turso supabase prisma trino presto redis-cli \
    valkey-cli nc ncat rails artisan php python python3 psql.exe impala-shell beeline hive spark-sql neo4j cypher-shell";
/// Text that is longer is a dump.
const MAX_TEXT: usize = 64 * 1024;
const MAX_STATEMENTS: usize = 1000;

pub(super) fn find(look: &Look<'_>, all: &mut Vec<Finding>) {
    for (at, command) in look.commands() {
        let Some(program) = look.program(at) else { continue };
        if !CLIENTS.split_whitespace().any(|client| client == program) || asks_for_help(&look.plain[at]) {
            continue;
        }
        let is_language =
            matches!(program.as_str(), "php" | "python" | "python3" | "rails" | "artisan" | "nc" | "ncat");
        let words = look.raw[at].get(1..).unwrap_or_default();
        let fed = look.fed(at);
        // A file's name is no statement; `DROP` and `FLUSHALL` alone are words of their own.
        let mut texts = words.iter().filter(|word| word.contains([' ', '(', '.'])).chain(&fed);
        let destroys = texts.any(|text| destroys(text, &program, is_language));
        let environment = command.assignments.iter().any(|(_, value)| is_for_tests(&value.shape()));
        let names_test = words.iter().any(|word| !word.contains([' ', '(', ';']) && is_for_tests(word));
        if destroys && !environment && !names_test && !is_throwaway(look, at, &program) {
            all.push(Finding { rule: &DATABASES, verdict: Verdict::Ask, commands: vec![at] });
        }
    }
}

/// A name that says that what is called so may go: `app_test`, `tmp_rows`.
pub(super) fn is_for_tests(name: &str) -> bool {
    const WORDS: &str = "test tests testing testdb tmp temp temporary scratch sandbox sample fixture fixtures e2e spec \
        throwaway playground";
    let mut parts = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    parts.any(|part| {
        let part = part.to_ascii_lowercase();
        WORDS.split_whitespace().any(|word| word == part)
    })
}

/// A database in memory or in a temporary file.
fn is_throwaway(look: &Look<'_>, at: usize, program: &str) -> bool {
    if !matches!(program, "sqlite3" | "sqlite" | "duckdb" | "litecli") {
        return false;
    }
    let file = look.raw[at].iter().skip(1).find(|word| !word.starts_with('-'));
    file.is_none_or(|file| {
        file == ":memory:"
            || look
                .place
                .written(look.script.commands[at].folder.as_deref(), file)
                .is_some_and(|path| is_temporary(&path))
    })
}

fn destroys(text: &str, program: &str, is_language: bool) -> bool {
    // `--execute=DROP …`, `-eDROP …`.
    let text = match text.split_once('=') {
        Some((option, rest)) if option.starts_with("--") && !option.contains(' ') => rest,
        _ if text.starts_with('-') && !text.starts_with("--") => text.get(2..).unwrap_or_default(),
        _ => text,
    };
    if text.len() > MAX_TEXT {
        return false;
    }
    let small = text.to_ascii_lowercase();
    match program {
        "mongosh" | "mongo" => {
            let close: String = small.chars().filter(|letter| !letter.is_whitespace()).collect();
            let ends = [
                "dropdatabase(",
                ".drop(",
                "deletemany({})",
                ".remove({})",
                "dropalluser",
                "dropuser(",
                "dropcollection(",
            ];
            return ends.iter().any(|end| close.contains(end));
        }
        "redis-cli" | "valkey-cli" => {
            return small.split_whitespace().any(|word| matches!(word, "flushall" | "flushdb"));
        }
        "nc" | "ncat" => {
            return small.split_whitespace().any(|word| matches!(word, "flushall" | "flushdb" | "flush_all"));
        }
        "rails" | "artisan" => {
            let ends =
                [".delete_all", ".destroy_all", "::truncate()", "drop_database", "drop_table", "->truncate("];
            return ends.iter().any(|end| small.contains(end));
        }
        "cypher-shell" => return small.contains("detach delete") && !small.contains("where"),
        _ => {}
    }
    // In a program the statements stand between quotes.
    if is_language {
        return quoted(&small).into_iter().any(|text| statements(&text));
    }
    statements(&small)
}

fn quoted(text: &str) -> Vec<String> {
    text.split(['"', '\'', '`']).filter(|text| text.contains(' ')).map(str::to_owned).collect()
}

fn statements(text: &str) -> bool {
    let text = without_comments(text);
    let is_undone = text.contains("rollback") && !text.contains("commit");
    !is_undone && text.split(';').take(MAX_STATEMENTS).any(is_destruction)
}

fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['-', '/', '\'']) {
        plain.push_str(&rest[..at]);
        let behind = &rest[at..];
        // What stands between quotes is a value.
        let (end, keeps) = if behind.starts_with("--") {
            (behind.find('\n').map_or(behind.len(), |end| end + 1), " ")
        } else if behind.starts_with("/*") {
            (behind.find("*/").map_or(behind.len(), |end| end + 2), " ")
        } else if let Some(value) = behind.strip_prefix('\'') {
            (value.find('\'').map_or(behind.len(), |end| end + 2), "''")
        } else {
            (1, &behind[..1])
        };
        plain.push_str(keeps);
        rest = &behind[end..];
    }
    plain.push_str(rest);
    plain
}

fn is_destruction(statement: &str) -> bool {
    let words: Vec<&str> = statement
        .split(|letter: char| {
            letter.is_whitespace() || matches!(letter, '(' | ')' | ',' | '=' | '"' | '`' | '[' | ']')
        })
        .filter(|word| !word.is_empty())
        .collect();
    let is_for_tests = |from: usize| {
        let name = words.iter().skip(from).find(|word| !matches!(**word, "if" | "exists" | "only" | "table"));
        name.is_some_and(|name| is_for_tests(name))
    };
    let is_narrowed = || {
        let at = words.iter().position(|word| *word == "where");
        at.is_some_and(|at| !matches!(words.get(at + 1..), Some(["1", "1"] | ["true" | "1"] | [])))
            || words.contains(&"limit")
    };
    match words.as_slice() {
        ["drop", what, ..] => {
            const WHAT: &str = "database schema table tables keyspace user role owned tablespace collection measurement dataset";
            WHAT.split(' ').any(|known| known == *what) && !is_for_tests(2)
        }
        ["truncate", ..] => !is_for_tests(1),
        ["delete", "from", ..] => !is_narrowed() && !is_for_tests(2),
        ["update", _, "set", ..] => !is_narrowed() && !is_for_tests(1),
        ["alter", "table", .., "drop", "column", _] => !is_for_tests(2),
        ["reset", "master" | "slave"] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_that_takes_everything_is_told_from_one_that_takes_something() {
        for (text, expected) in [
            ("drop database app", true),
            ("drop table if exists users cascade", true),
            ("select 1; truncate orders", true),
            ("delete from users", true),
            ("delete from users where 1=1", true),
            ("update users set admin = true", true),
            ("alter table users drop column email", true),
            ("-- why\ndrop schema public cascade;", true),
            ("delete from users where id = 3", false),
            ("update users set admin = true where id = 3", false),
            ("drop table if exists tmp_rows", false),
            ("drop database app_test", false),
            ("drop index i", false),
            ("select 'drop table users'", false),
            ("select * from t -- drop table users", false),
            ("begin; drop table users; rollback", false),
            ("create table drop_log (id int)", false),
            ("insert into x values ('a; drop table users')", false),
        ] {
            assert_eq!(statements(text), expected, "{text}");
        }
    }
}
