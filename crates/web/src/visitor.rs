//! Whose connection it is. A link is given to a browser in its arguments, where every user of the machine can read them
//! for a moment; so the kernel is asked who has come with it. Where it does not say, the link alone must do.

use std::fs::File;
use std::io::Read;
use std::net::SocketAddr;

/// What the kernel says of connections. A thousand of them take 150 kilobytes.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];
const MAX_TABLE: u64 = 16 << 20;
/// May read everything of everybody anyway, and carries what comes from the other side of a virtual machine.
const ROOT: u32 = 0;

/// The other end of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visitor(pub(crate) SocketAddr);

impl Visitor {
    /// Whether another person than the one we run for has come. Reads a file: not for every request.
    pub(crate) fn is_somebody_else(self, our_port: u16) -> bool {
        let ours = rustix::process::geteuid().as_raw();
        let owner = TABLES.iter().find_map(|table| {
            let mut text = String::new();
            File::open(table).ok()?.take(MAX_TABLE).read_to_string(&mut text).ok()?;
            owner(&text, self.0.port(), our_port)
        });
        owner.is_some_and(|owner| owner != ours && owner != ROOT)
    }
}

/// The user whose end of a connection leads from one port to the other.
fn owner(table: &str, from: u16, to: u16) -> Option<u32> {
    let (from, to) = (format!(":{from:04X}"), format!(":{to:04X}"));
    table.lines().find_map(|line| {
        // `0: 0100007F:9C40 0100007F:9371 01 00000000:00000000 00:00000000 00000000  1000 …`
        let mut words = line.split_whitespace().skip(1);
        let is_it = words.next()?.ends_with(&from) && words.next()?.ends_with(&to);
        words.nth(4).filter(|_| is_it)?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:9371 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 7375130 1 0 100 0 0 10 0
   1: 0100007F:9371 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 7420175 1 0 100 0 0 10 0
   2: 0100007F:9C40 0100007F:9371 01 00000000:00000000 00:00000000 00000000  1001        0 1589 1 0 100 0 0 10 0
nonsense
";

    #[test]
    fn the_other_end_is_the_one_that_leads_here() {
        assert_eq!(owner(TABLE, 0x9c40, 0x9371), Some(1001));
        assert_eq!(owner(TABLE, 0x9371, 0x9c40), Some(1000));
        assert_eq!(owner(TABLE, 0x9c41, 0x9371), None);
        assert_eq!(owner("", 1, 2), None);
    }
}
