//! Graphs as files: pictures, and text for Graphviz.

use std::fs;
use std::path::Path;

use atlas::{Answer, picture};
use code::flow::Flow;
use serde::Deserialize;

use crate::print;
use crate::report::{Failure, hint};

#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    Dot,
    Svg,
}

pub(super) fn modules(answer: &Answer, form: Form, title: &str, file: Option<&Path>) -> anyhow::Result<()> {
    let Answer::Deps { modules, edges } = answer else { anyhow::bail!("the map answered something else") };
    let text = match form {
        Form::Dot => picture::dot(title, modules, edges),
        Form::Svg => picture::svg(title, modules, edges),
    };
    match file {
        Some(file) => write(file, &text),
        None => print::text(&text),
    }
}

pub(super) fn flow(answer: &Answer) -> anyhow::Result<()> {
    let Answer::Flow { flow, .. } = answer else { anyhow::bail!("the map answered something else") };
    print::text(&Flow::deserialize(flow)?.dot())
}

pub(super) fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(file, text).map_err(|error| {
        let what = format!("{} cannot be written: {error}", file.display());
        hint(Failure::Person, what, "name another file after -o, or leave it out to print")
    })?;
    print::remark(&format!("wrote {}", file.display()));
    Ok(())
}
