//! Finding a port. The one that is wished for, else the next free one, else any: whoever wants to know reads it from
//! `run/port` or asks `daemon status`. Loopback only; there is no way to say another address.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};

use crate::WebError;

/// Ports tried from the wished one on. A person has a few namespaces; past this the machine is somebody's test, and
/// any port will do. Each try is two system calls.
const TRIES: u16 = 64;

/// A port that is ours. Who knocks waits until the door is open.
#[derive(Debug)]
pub struct Bound {
    pub(crate) listeners: Vec<TcpListener>,
    port: u16,
}

impl Bound {
    pub fn bind(wished: u16) -> Result<Self, WebError> {
        for port in (wished..=u16::MAX).take(usize::from(TRIES)) {
            match both(port) {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
                bound => return bound.map_err(WebError::Port),
            }
        }
        both(0).map_err(WebError::Port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }
}

/// Both loopback addresses under one port, or the older one alone on a machine without the newer.
fn both(port: u16) -> io::Result<Bound> {
    let four = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let port = four.local_addr()?.port();
    let mut listeners = vec![four];
    match TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
        Ok(six) => listeners.push(six),
        // `localhost` would lead half of the clients to a stranger.
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => return Err(error),
        Err(_) => {}
    }
    for listener in &listeners {
        listener.set_nonblocking(true)?;
    }
    Ok(Bound { listeners, port })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_port_is_passed_over_on_either_address() {
        let first = Bound::bind(20_777).expect("a port");
        let second = Bound::bind(first.port()).expect("another port");
        assert_ne!(first.port(), second.port());
        for listener in first.listeners.iter().chain(&second.listeners) {
            assert!(listener.local_addr().expect("an address").ip().is_loopback());
        }
        if let Ok(six) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)) {
            let taken = six.local_addr().expect("an address").port();
            assert_ne!(Bound::bind(taken).expect("a port").port(), taken);
        }
    }

    #[test]
    fn where_all_are_taken_any_will_do() {
        let last = Bound::bind(u16::MAX).expect("a port");
        assert_ne!(Bound::bind(u16::MAX).expect("another").port(), last.port());
    }

    #[test]
    fn a_hundred_doors_find_a_port_each() {
        let doors: Vec<Bound> = (0..100).map(|_| Bound::bind(21_777).expect("a port")).collect();
        let mut ports: Vec<u16> = doors.iter().map(Bound::port).collect();
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 100);
    }
}
