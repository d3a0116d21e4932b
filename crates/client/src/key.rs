//! The key of this install, with which masks are hashed. Made once by whoever needs it first.

use std::fs;
use std::io::{self, Write};

use crate::Place;
use crate::spool::create_private;

pub const KEY_BYTES: usize = 32;

/// Reads the key or makes it. Of several processes that make it at once all get the same one.
pub fn load(place: &Place) -> io::Result<[u8; KEY_BYTES]> {
    let path = place.key_file();
    match fs::read(&path) {
        Ok(bytes) => return bytes.try_into().map_err(|_| io::ErrorKind::InvalidData.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    crate::place::make_folder(&place.data)?;
    let fresh = random::<KEY_BYTES>()?;
    let part = place.data.join(format!("key-{}.part", crate::mint()));
    let made = create_private(&part)
        .and_then(|mut file| file.write_all(&fresh).and_then(|()| file.sync_data()))
        .and_then(|()| fs::hard_link(&part, &path));
    // A part left behind after a failure here is 32 bytes nobody reads.
    let _ = fs::remove_file(&part);
    match made {
        Ok(()) => Ok(fresh),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::read(&path)?.try_into().map_err(|_| io::ErrorKind::InvalidData.into())
        }
        Err(error) => Err(error),
    }
}

/// A key for this process alone, for when the lasting one cannot be had: masks then match nothing later.
pub fn passing() -> [u8; KEY_BYTES] {
    random().unwrap_or([0; KEY_BYTES])
}

pub(crate) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| io::ErrorKind::Other)?;
    Ok(bytes)
}
