//! Recording stands still while a marker file exists; the marker may name the moment it ends by itself.

use std::fs;
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::Place;
use crate::place::make_folder;
use crate::spool::open_private;

/// Pauses until `until`, or until somebody removes the marker.
pub fn begin(place: &Place, until: Option<SystemTime>) -> io::Result<()> {
    make_folder(&place.data)?;
    let moment = until.and_then(|until| until.duration_since(UNIX_EPOCH).ok());
    let text = moment.map(|moment| moment.as_secs().to_string()).unwrap_or_default();
    let file = open_private(&place.paused())?;
    file.set_len(0)?;
    io::Write::write_all(&mut &file, text.as_bytes())
}

/// One look at the file system, nothing more, while nothing is paused.
pub fn is_paused(place: &Place) -> bool {
    let Ok(text) = fs::read_to_string(place.paused()) else { return false };
    match text.trim().parse().map(Duration::from_secs) {
        Ok(until) => SystemTime::now().duration_since(UNIX_EPOCH).is_ok_and(|now| now < until),
        // No moment: until it is removed.
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_ends_by_itself_or_when_its_marker_goes() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place { data: folder.path().join("default") };
        assert!(!is_paused(&place));
        begin(&place, Some(SystemTime::now() - Duration::from_secs(5))).unwrap();
        assert!(!is_paused(&place));
        begin(&place, Some(SystemTime::now() + Duration::from_mins(1))).unwrap();
        assert!(is_paused(&place));
        begin(&place, None).unwrap();
        assert!(is_paused(&place));
        fs::remove_file(place.paused()).unwrap();
        assert!(!is_paused(&place));
    }
}
