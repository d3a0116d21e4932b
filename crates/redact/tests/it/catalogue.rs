//! Every rule carries its proof: what it catches is caught, what it spares is spared.

use redact::{Redactor, Settings, catalogue};

#[test]
fn every_rule_catches_and_spares_its_own_example() {
    let redactor = Redactor::new(Settings { email: true, phone: true, ..Settings::default() }).unwrap();
    let mut failures = Vec::new();
    let mut rules = 0;
    for rule in catalogue() {
        rules += 1;
        let caught = redactor.bytes(rule.catches.as_bytes());
        if !caught.findings.iter().any(|finding| finding.rule == rule.name || finding.kind == rule.kind) {
            failures.push(format!("{} does not catch {} ({:?})", rule.name, rule.catches, caught.findings));
        }
        let spared = redactor.bytes(rule.spares.as_bytes());
        if !spared.findings.is_empty() {
            failures.push(format!("{} does not spare {} ({:?})", rule.name, rule.spares, spared.findings));
        }
    }
    assert!(failures.is_empty(), "{} of {rules} fail:\n{}", failures.len(), failures.join("\n"));
    assert!(rules > 450, "{rules} rules");
}
