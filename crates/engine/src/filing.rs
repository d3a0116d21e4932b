//! Files a memory by its words.

use model::Memory;
use store::Batch;

use crate::Result;

pub(crate) fn file(_batch: &mut Batch<'_>, _n: u64, _memory: &Memory) -> Result<()> {
    Ok(())
}

pub(crate) fn unfile(_batch: &mut Batch<'_>, _n: u64) -> Result<()> {
    Ok(())
}
