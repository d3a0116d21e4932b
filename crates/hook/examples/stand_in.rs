//! `throughline hook` and nothing else of the large executable, for the tests of the tiny one. Asked to be a
//! daemon it only leaves a trace that it was asked.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::process::ExitCode;

use client::{Place, key};

fn main() -> ExitCode {
    let mut words = env::args_os().skip(1);
    match words.next() {
        Some(word) if word == "hook" => {
            let silent = |_: &Place, _: &model::Envelope| model::Reply::silent();
            ExitCode::from(client::hook::main(words, settings, |_, _| model::Reply::silent(), silent))
        }
        Some(word) if word == "daemon" => {
            let place = Place::from_env(&|key| env::var_os(key)).expect("the tests say where");
            let trace = OpenOptions::new().append(true).create(true).open(place.data.join("daemon-starts"));
            trace.and_then(|mut trace| trace.write_all(b".")).expect("the folder is there");
            ExitCode::SUCCESS
        }
        _ => ExitCode::FAILURE,
    }
}

fn settings(place: &Place) -> redact::Settings {
    let key = key::load(place).unwrap_or_else(|_| key::passing());
    redact::Settings { key, ..redact::Settings::default() }
}
