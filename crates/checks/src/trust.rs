//! What the person says about code of projects, in the workspaces they trust: its build scripts, its plug-ins, its own copy
//! of a tool. Once somebody has installed or built it here, its code has run on this machine already, and a check adds
//! nothing to that. What shows it is a folder that such a step makes and that git does not track: whatever git tracks came
//! with the repository.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Trust {
    /// It is run where it has run before.
    #[default]
    Installed,
    Always,
    Never,
}

impl Trust {
    pub fn of(word: &str) -> Self {
        match word {
            "always" => Self::Always,
            "never" => Self::Never,
            _ => Self::Installed,
        }
    }
}
