//! One text in, one text out: the rules by example, and a person's own rules.

use redact::{Redactor, RuleError, Settings};

fn settings() -> Settings {
    Settings { key: [7; 32], ..Settings::default() }
}

fn output(settings: Settings, input: &str) -> String {
    let redactor = Redactor::new(settings).expect("the rules are sound");
    String::from_utf8(redactor.bytes(input.as_bytes()).bytes).expect("text stays text")
}

#[test]
fn literals_and_patterns_of_a_person_are_redacted() {
    let own = Settings {
        literals: vec!["Project Nightingale".into()],
        patterns: vec![("Case Number".into(), r"CASE-\d{6}".into())],
        ..settings()
    };
    let text = output(own, "about Project Nightingale, CASE-123456");
    assert!(text.starts_with("about [REDACTED:custom:") && text.contains("[REDACTED:case-number:"), "{text}");
}

#[test]
fn a_bad_pattern_is_named_with_its_repair() {
    let bad = Settings { patterns: vec![("mine".into(), "(unclosed".into())], ..settings() };
    let error = Redactor::new(bad).expect_err("it does not compile");
    assert!(
        error.to_string().contains("\"mine\" does not compile")
            && error.to_string().contains("correct or remove")
    );
    let empty = Settings { patterns: vec![("mine".into(), "x*".into())], ..settings() };
    assert!(matches!(Redactor::new(empty), Err(RuleError::MatchesNothing { .. })));
    let plain = Settings { allow: vec!["hunter2".into()], ..settings() };
    assert!(matches!(Redactor::new(plain), Err(RuleError::Allow { .. })));
}

#[test]
fn an_allowed_value_is_left_alone() {
    let input = "DB_PASSWORD=hunter2-rabbit-hole";
    let redactor = Redactor::new(settings()).expect("no rules");
    let mark = redactor.bytes(input.as_bytes()).findings[0].mark.clone().expect("a long value is hashed");
    assert_eq!(output(Settings { allow: vec![mark], ..settings() }, input), input);
}

#[test]
fn equal_secrets_have_equal_marks_and_short_passwords_none() {
    let text = output(
        settings(),
        "A_PASSWORD=hunter2-rabbit-hole\nB_PASSWORD=hunter2-rabbit-hole\nC_PASSWORD=hunter2",
    );
    let lines: Vec<&str> = text.lines().map(|line| line.split_once('=').expect("an assignment").1).collect();
    assert_eq!(lines[0], lines[1]);
    assert_eq!(lines[2], "[REDACTED:password]");
    let other = output(Settings { key: [8; 32], ..settings() }, "A_PASSWORD=hunter2-rabbit-hole");
    assert_ne!(other.split_once('=').expect("an assignment").1, lines[0]);
}

#[test]
fn addresses_and_numbers_go_only_when_asked() {
    let input = "jane.doe@company.org called +1 415 555 0132 at 2026-11-15 22:15:03 from 10.0.0.1, build 1.22.333.4444, id 4155550132, pkg@1.2.3, git@github.com:a/b";
    assert_eq!(output(settings(), input), input);
    let asked = output(Settings { email: true, phone: true, ..settings() }, input);
    assert!(asked.starts_with("[REDACTED:email:") && asked.contains(" called [REDACTED:phone:"), "{asked}");
    assert!(asked.ends_with("at 2026-11-15 22:15:03 from 10.0.0.1, build 1.22.333.4444, id 4155550132, pkg@1.2.3, git@github.com:a/b"), "{asked}");
}

#[test]
fn building_a_redactor_is_cheap() {
    let start = std::time::Instant::now();
    for _ in 0..100 {
        Redactor::new(settings()).expect("no rules");
    }
    assert!(start.elapsed().as_millis() < 200, "{:?} for a hundred", start.elapsed());
}
