//! Our handlers in the client's settings files.
use crate::{Edit, HookCommand, Installed, SettingsError};

pub(super) fn add(_text: Option<&str>, _hook: &HookCommand) -> Result<Edit, SettingsError> {
    Ok(Edit { before: None, after: String::new(), summary: Vec::new() })
}

pub(super) fn remove(text: &str) -> Result<Edit, SettingsError> {
    Ok(Edit { before: Some(text.to_owned()), after: text.to_owned(), summary: Vec::new() })
}

pub(super) fn installed(_text: &str) -> Result<Installed, SettingsError> {
    Ok(Installed::default())
}
