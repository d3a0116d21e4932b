//! The address of a socket whose path may be longer than the kernel's 108 bytes. For `connect` and `bind` alike.

use std::io;
use std::path::Path;

use rustix::net::SocketAddrUnix;

/// Calls `with` with an address that is valid during the call.
pub fn socket_address<T>(path: &Path, with: impl FnOnce(&SocketAddrUnix) -> T) -> io::Result<T> {
    match SocketAddrUnix::new(path) {
        Ok(address) => Ok(with(&address)),
        Err(rustix::io::Errno::NAMETOOLONG) => through_its_folder(path, with),
        Err(error) => Err(error.into()),
    }
}

/// The folder, opened, has a short name of its own.
#[cfg(target_os = "linux")]
fn through_its_folder<T>(path: &Path, with: impl FnOnce(&SocketAddrUnix) -> T) -> io::Result<T> {
    use rustix::fs::{Mode, OFlags, open};
    use std::os::fd::AsRawFd;

    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let folder = open(folder, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let short = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name);
    Ok(with(&SocketAddrUnix::new(short)?))
}

/// No such names elsewhere: the caller learns that the path is too long.
#[cfg(not(target_os = "linux"))]
fn through_its_folder<T>(_: &Path, _: impl FnOnce(&SocketAddrUnix) -> T) -> io::Result<T> {
    Err(io::ErrorKind::InvalidFilename.into())
}
