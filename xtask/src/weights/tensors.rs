//! The tensors of a safetensors file by name: a length, a JSON head, then numbers. Numbers other than f32 are not
//! ours.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

pub(super) struct Tensors {
    file: Vec<u8>,
    head: Value,
    start: usize,
}

impl Tensors {
    pub(super) fn parse(file: Vec<u8>) -> Result<Tensors> {
        let length = file.first_chunk::<8>().context("too short for tensors")?;
        let start = 8 + usize::try_from(u64::from_le_bytes(*length))?;
        let head = serde_json::from_slice(file.get(8..start).context("the head ends early")?)?;
        let tensors = Tensors { file, head, start };
        ensure!(tensors.read("embeddings.word_embeddings.weight").is_some(), "there is no word table");
        Ok(tensors)
    }

    /// A tensor's numbers, row by row.
    pub(super) fn read(&self, name: &str) -> Option<Vec<f32>> {
        let entry = self.head.get(name).filter(|entry| entry["dtype"] == "F32")?;
        let offset =
            |at: usize| entry["data_offsets"][at].as_u64().map(|offset| self.start + offset as usize);
        let bytes = self.file.get(offset(0)?..offset(1)?)?;
        Some(bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
    }
}
