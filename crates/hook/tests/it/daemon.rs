//! Daemons of all kinds, on a real socket. None of them keeps anything.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use client::Place;
use wire::{ReplyHeader, RequestHeader, Status};

/// What a daemon does with a connection, once it has read the request.
#[derive(Debug, Clone)]
pub(crate) enum Manner {
    Reply(Status, u8, Vec<u8>, Vec<u8>),
    /// Whatever bytes, then the end.
    Bytes(Vec<u8>),
    /// Asks for so many milliseconds, takes so many, and says this.
    Longer(u32, u64, Vec<u8>),
    /// A good reply, one byte every ten milliseconds.
    Drip,
    Hang,
    /// Closes without reading.
    Close,
}

impl Manner {
    pub(crate) fn silent() -> Self {
        Self::Reply(Status::Kept, 0, Vec::new(), Vec::new())
    }

    pub(crate) fn prints(stdout: &[u8]) -> Self {
        Self::Reply(Status::Kept, 0, stdout.to_vec(), Vec::new())
    }
}

#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) header: RequestHeader,
    pub(crate) agent: Vec<u8>,
    pub(crate) event: Vec<u8>,
    pub(crate) context: Vec<u8>,
    pub(crate) body: Vec<u8>,
}

/// Serves until the test ends, each connection in a thread of its own.
pub(crate) fn serve(place: &Place, manner: Manner) -> Receiver<Heard> {
    let listener = bind(place);
    let (tell, heard) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (manner, tell) = (manner.clone(), tell.clone());
            thread::spawn(move || {
                // The hook may leave at any moment; that is what most tests are about.
                let _ = answer(stream, manner, |heard| tell.send(heard).unwrap_or_default());
            });
        }
    });
    heard
}

/// By a short name of the folder: a test's own path may be too long for an address.
pub(crate) fn bind(place: &Place) -> UnixListener {
    let folder = File::open(place.run()).unwrap();
    UnixListener::bind(format!("/proc/self/fd/{}/{}", folder.as_raw_fd(), wire::SOCKET_NAME)).unwrap()
}

fn answer(mut stream: UnixStream, manner: Manner, tell: impl FnOnce(Heard)) -> std::io::Result<()> {
    if matches!(manner, Manner::Close) {
        return Ok(());
    }
    tell(read_request(&mut stream)?);
    match manner {
        Manner::Reply(status, exit, stdout, stderr) => {
            stream.write_all(&reply(status, exit, &stdout, &stderr))
        }
        Manner::Bytes(bytes) => stream.write_all(&bytes),
        Manner::Longer(asked, taken, then) => {
            let header = ReplyHeader { status: Status::Longer, exit: 0, stdout_len: asked, stderr_len: 0 };
            if taken == 0 {
                return stream.write_all(&[&header.encode(), &then[..]].concat());
            }
            stream.write_all(&header.encode())?;
            thread::sleep(Duration::from_millis(taken));
            stream.write_all(&then)
        }
        Manner::Drip => {
            for byte in reply(Status::Kept, 2, &[b'x'; 1000], b"") {
                stream.write_all(&[byte])?;
                thread::sleep(Duration::from_millis(10));
            }
            Ok(())
        }
        Manner::Hang => {
            thread::sleep(Duration::from_secs(30));
            Ok(())
        }
        Manner::Close => Ok(()),
    }
}

pub(crate) fn reply(status: Status, exit: u8, stdout: &[u8], stderr: &[u8]) -> Vec<u8> {
    let header =
        ReplyHeader { status, exit, stdout_len: stdout.len() as u32, stderr_len: stderr.len() as u32 };
    [&header.encode(), stdout, stderr].concat()
}

fn read_request(stream: &mut UnixStream) -> std::io::Result<Heard> {
    let mut header = [0; wire::REQUEST_HEADER];
    stream.read_exact(&mut header)?;
    let header = RequestHeader::decode(&header).expect("a hook sends a good header");
    let mut read = |len: usize| {
        let mut bytes = vec![0; len];
        stream.read_exact(&mut bytes).map(|()| bytes)
    };
    Ok(Heard {
        header,
        agent: read(header.agent_len.into())?,
        event: read(header.event_len.into())?,
        context: read(header.context_len as usize)?,
        body: read(header.body_len as usize)?,
    })
}
