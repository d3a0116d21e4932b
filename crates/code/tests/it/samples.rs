//! Every language's folder has a sample and the facts it gives, as a person reads them. `UPDATE=1 cargo test -p
//! throughline-code` writes them anew; the difference is then to be read, not believed.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use code::{Chain, Facts, Root, Step, SymbolId, languages};

fn folder(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("languages").join(language)
}

#[test]
fn every_sample_gives_the_facts_beside_it() {
    let mut wrong = Vec::new();
    for language in languages::ALL {
        let folder = folder(language.name);
        let extension = &language.settings().extensions[0];
        let text = fs::read_to_string(folder.join(format!("sample.{extension}")))
            .unwrap_or_else(|error| panic!("languages/{}/sample.{extension}: {error}", language.name));
        let facts = code::facts(language, &text).expect("a sample is small");
        assert!(!facts.broken, "the sample of {} does not parse", language.name);
        let said = render(&facts);
        let kept = folder.join("sample.facts");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&kept, &said).unwrap();
        }
        if fs::read_to_string(&kept).ok().as_deref() != Some(&*said) {
            wrong.push(format!("languages/{}/sample.facts should be:\n{said}", language.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_folder_is_listed() {
    let folders = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("languages")).unwrap();
    for folder in folders {
        let name = folder.unwrap().file_name().into_string().unwrap();
        assert!(languages::by_name(&name).is_some(), "languages/{name} is not in languages::ALL");
    }
}

/// Facts as lines: `line-end kind name | signature | what else there is`.
fn render(facts: &Facts) -> String {
    let mut out = String::new();
    let within = |id: Option<SymbolId>| id.map_or("-".to_owned(), |id| facts.qualified(id));
    if let Some(package) = facts.package {
        writeln!(out, "package {}", facts.text(package)).unwrap();
    }
    for (at, symbol) in facts.symbols.iter().enumerate() {
        let mut about = String::new();
        let list = |names: &[code::Name]| names.iter().map(|n| facts.text(*n)).collect::<Vec<_>>().join(" ");
        let flags = symbol.flags;
        for (holds, word) in [
            (flags.public, "public"),
            (flags.test, "test"),
            (flags.of_type, "static"),
            (flags.declared, "declared"),
            (flags.block, "block"),
        ] {
            if holds {
                write!(about, " {word}").unwrap();
            }
        }
        for (word, names) in [("bases", list(&symbol.bases)), ("marks", list(&symbol.marks))] {
            if !names.is_empty() {
                write!(about, " {word}({names})").unwrap();
            }
        }
        for (word, name) in [("owner", symbol.owner), ("of", symbol.of_trait), ("gives", symbol.returns)] {
            if let Some(name) = name {
                write!(about, " {word}({})", facts.text(name)).unwrap();
            }
        }
        if let Some(doc) = &symbol.doc {
            write!(about, " \"{doc}\"").unwrap();
        }
        let (span, kind) = (symbol.span, symbol.kind.name());
        let name = facts.qualified(SymbolId(at as u32));
        writeln!(out, "{}-{} {kind} {name} | {} |{about}", span.line, span.end_line, symbol.signature)
            .unwrap();
    }
    for import in &facts.imports {
        let name = import.name.map_or("", |name| facts.text(name));
        let local = import.local.map_or("", |name| facts.text(name));
        let more = match (import.wildcard, import.reexport) {
            (true, true) => " all, handed on",
            (true, false) => " all",
            (false, true) => " handed on",
            (false, false) => "",
        };
        writeln!(out, "{} import {} | {name} | {local}{more}", import.line, facts.text(import.module))
            .unwrap();
    }
    for binding in &facts.bindings {
        let of = binding.of_type.map_or(String::new(), |of| format!(": {}", facts.text(of)));
        let value = binding.value.and_then(|id| facts.chain(id));
        let value = value.map_or(String::new(), |chain| format!(" = {}", say(facts, chain)));
        let place = format!("{:?}", binding.place).to_lowercase();
        let (line, name) = (binding.line, facts.text(binding.name));
        writeln!(out, "{line} {place} {name}{of}{value} in {}", within(binding.scope)).unwrap();
    }
    for reference in &facts.references {
        let receiver = reference.receiver.and_then(|id| facts.chain(id));
        let receiver = receiver.map_or(String::new(), |chain| format!("{}.", say(facts, chain)));
        let count = reference.arguments.map_or(String::new(), |count| format!("({count})"));
        let (line, name, role) = (reference.line, facts.text(reference.name), reference.role.name());
        writeln!(out, "{line} {role} {receiver}{name}{count} in {}", within(reference.within)).unwrap();
    }
    out
}

fn say(facts: &Facts, chain: &Chain) -> String {
    let mut out = match chain.root {
        Root::Name(name) => facts.text(name).to_owned(),
        Root::Own => "<own>".to_owned(),
        Root::Super => "<super>".to_owned(),
        Root::Of(name) => format!("<new {}>", facts.text(name)),
        Root::Literal => "<literal>".to_owned(),
        Root::Unknown => "<?>".to_owned(),
    };
    for step in &chain.steps {
        match step {
            Step::Member(name) => write!(out, ".{}", facts.text(*name)).unwrap(),
            Step::Call => out.push_str("()"),
            Step::Element => out.push_str("[]"),
            Step::Inside => out.push('?'),
        }
    }
    out
}
