//! What can go wrong, by what whoever asks can do about it.

#[derive(Debug, thiserror::Error)]
pub enum AtlasError {
    /// Nothing of that name; the nearest are named.
    #[error("nothing here is called \"{wanted}\"{}", near(.nearest))]
    Unknown { wanted: String, nearest: Vec<String> },
    /// Several are meant; each is named as it can be asked for.
    #[error("\"{wanted}\" may be any of {}: {}", .choices.len(), .choices.join(", "))]
    Ambiguous { wanted: String, choices: Vec<String> },
    /// Not a file of the map: outside, ignored, too large, or of a language it does not read.
    #[error("{file} is not on the map: {why}")]
    NotMapped { file: String, why: &'static str },
    /// Half a map would give half an answer.
    #[error("the map is being made")]
    NotYet,
    #[error("{0}")]
    Unable(String),
    #[error(transparent)]
    Store(#[from] store::StoreError),
    #[error("{path}: {source}")]
    Disk { path: String, source: std::io::Error },
}

fn near(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!("; near it: {}", nearest.join(", ")) }
}
