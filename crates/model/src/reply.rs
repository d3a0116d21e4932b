//! What the hook process prints and how it exits.

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    pub exit: u8,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Reply {
    pub fn silent() -> Self {
        Self::default()
    }

    pub fn is_silent(&self) -> bool {
        *self == Self::default()
    }
}
