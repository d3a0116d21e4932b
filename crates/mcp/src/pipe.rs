//! Lines of JSON over a pipe, read and written by a thread each. Every line has a bound, garbage gets the answer
//! that JSON-RPC says, and whoever waits for an answer to something too large hears why there is none. What a message
//! means is the server's business.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::thread::{Builder, JoinHandle};

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::service::RxJsonRpcMessage;
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender, WeakSender, channel};

/// A memory has at most 64 KiB, which escaped to the utmost are 384; whatever is larger is no call of a tool of ours.
pub(crate) const MAX_MESSAGE: usize = 1 << 20;
/// An event holds what a tool was given and what it gave, escaped twice. The daemon takes as much.
pub(crate) const MAX_EVENT: usize = 64 << 20;
/// Messages that wait on either side; a client that does not read its answers is not read either.
const WAITING: usize = 32;
/// Reading and writing lines needs little.
const STACK: usize = 256 << 10;
/// The end of a line in which the id of a message is looked for.
const TAIL: usize = 256;

#[derive(Debug)]
pub(crate) struct Pipe {
    incoming: Receiver<RxJsonRpcMessage<RoleServer>>,
    outgoing: Option<Sender<Vec<u8>>>,
}

/// The writer ends when the pipe is dropped and all is written. The reader cannot be woken, and ends with the process.
pub(crate) fn open(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    most: usize,
) -> io::Result<(Pipe, JoinHandle<()>)> {
    let (read, incoming) = channel(WAITING);
    let (outgoing, write) = channel(WAITING);
    // Weak: a reader that waits for a client who says nothing more must not keep the writer waiting.
    let replies = outgoing.downgrade();
    Builder::new()
        .name("read".into())
        .stack_size(STACK)
        .spawn(move || read_all(input, most, &read, &replies))?;
    let writer =
        Builder::new().name("write".into()).stack_size(STACK).spawn(move || write_all(output, write))?;
    Ok((Pipe { incoming, outgoing: Some(outgoing) }, writer))
}

impl Transport<RoleServer> for Pipe {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let sender = self.outgoing.clone();
        async move {
            let sender = sender.ok_or(io::ErrorKind::NotConnected)?;
            sender.send(line(&message)?).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.incoming.recv().await
    }

    fn close(&mut self) -> impl Future<Output = io::Result<()>> + Send {
        self.outgoing = None;
        // A reader that is about to answer garbage finds nobody who waits for more.
        self.incoming.close();
        std::future::ready(Ok(()))
    }
}

fn line(message: &ServerJsonRpcMessage) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(message)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn write_all(mut output: impl Write, mut lines: Receiver<Vec<u8>>) {
    while let Some(line) = lines.blocking_recv() {
        if output.write_all(&line).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

/// Until the input ends or breaks, or nobody listens any more.
fn read_all(
    input: impl Read,
    most: usize,
    read: &Sender<RxJsonRpcMessage<RoleServer>>,
    replies: &WeakSender<Vec<u8>>,
) {
    let mut input = BufReader::new(input);
    let mut bytes = Vec::new();
    let mut has_begun = false;
    loop {
        let went_on = match next_line(&mut input, most, &mut bytes) {
            Ok(Line::Whole) => match parse(&bytes) {
                Parsed::Message(message) => {
                    has_begun |= begins(&message);
                    // Before the beginning the library takes a notification for the end.
                    let is_heard = has_begun || matches!(*message, JsonRpcMessage::Request(_));
                    !is_heard || read.blocking_send(*message).is_ok()
                }
                Parsed::Nothing => true,
                Parsed::Wrong(error, id) => reply(replies, &error, id.as_ref()),
            },
            Ok(Line::Giant(id)) => {
                let what = format!("a message may have at most {most} bytes");
                reply(replies, &ErrorData::new(ErrorCode::INVALID_REQUEST, what, None), id.as_ref())
            }
            Ok(Line::End) | Err(_) => false,
        };
        if !went_on {
            return;
        }
        if bytes.capacity() > TAIL * TAIL {
            bytes = Vec::new();
        }
    }
}

/// Whether a session begins with this: anything but a sign of life and a question about what is spoken.
fn begins(message: &RxJsonRpcMessage<RoleServer>) -> bool {
    let JsonRpcMessage::Request(asked) = message else { return false };
    !matches!(asked.request, ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_))
}

fn reply(replies: &WeakSender<Vec<u8>>, error: &ErrorData, id: Option<&RequestId>) -> bool {
    // JSON-RPC wants `null` where the id is not known; the library leaves it out.
    let mut message =
        serde_json::json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string().into_bytes();
    message.push(b'\n');
    replies.upgrade().is_some_and(|replies| replies.blocking_send(message).is_ok())
}

#[derive(Debug, PartialEq)]
enum Line {
    Whole,
    /// Too large, skipped to its end, with the id it seems to have.
    Giant(Option<RequestId>),
    End,
}

/// One line into `bytes`, without its end. The last one need not have an end.
fn next_line(input: &mut impl BufRead, most: usize, bytes: &mut Vec<u8>) -> io::Result<Line> {
    bytes.clear();
    let mut is_giant = false;
    let mut tail = Vec::new();
    loop {
        let found = match input.fill_buf() {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if found.is_empty() && bytes.is_empty() {
            return Ok(Line::End);
        }
        let end = found.iter().position(|byte| *byte == b'\n');
        let part = &found[..end.unwrap_or(found.len())];
        if bytes.len() + part.len() > most {
            is_giant = true;
        }
        if is_giant {
            tail.extend_from_slice(part);
            let surplus = tail.len().saturating_sub(TAIL);
            tail.drain(..surplus);
        } else {
            bytes.extend_from_slice(part);
        }
        let is_last = found.is_empty() || end.is_some();
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if is_last && is_giant {
            return Ok(Line::Giant(id_of_giant(bytes, &tail)));
        }
        if is_last && (!bytes.is_empty() || end.is_none()) {
            return Ok(Line::Whole);
        }
    }
}

/// The id, where it is certain that it is the message's own: at the very beginning, or at the very end, where only one
/// brace follows.
fn id_of_giant(head: &[u8], tail: &[u8]) -> Option<RequestId> {
    let value = |text: &str| serde_json::from_str(text).ok();
    let head = String::from_utf8_lossy(&head[..head.len().min(TAIL)]).into_owned();
    let first = head.trim_start().strip_prefix('{').and_then(|rest| {
        let rest = rest.trim_start().strip_prefix("\"jsonrpc\":\"2.0\",").unwrap_or(rest);
        value(rest.trim_start().strip_prefix("\"id\":")?.split(',').next()?)
    });
    let tail = String::from_utf8_lossy(tail);
    let last = || value(tail.trim_end().strip_suffix('}')?.rsplit_once("\"id\":")?.1);
    first.or_else(last)
}

enum Parsed {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// A notification we do not know, or an empty line.
    Nothing,
    Wrong(ErrorData, Option<RequestId>),
}

fn parse(bytes: &[u8]) -> Parsed {
    let bytes = bytes.trim_ascii();
    if bytes.is_empty() {
        return Parsed::Nothing;
    }
    if let Ok(message) = serde_json::from_slice(bytes) {
        return Parsed::Message(Box::new(message));
    }
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        let what = "this line is no JSON; send one JSON-RPC message a line, in UTF-8";
        return Parsed::Wrong(ErrorData::new(ErrorCode::PARSE_ERROR, what, None), None);
    };
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    if id.is_none() && value.get("method").is_some() {
        return Parsed::Nothing;
    }
    let what = "this is no JSON-RPC 2.0 message; batches are not taken";
    Parsed::Wrong(ErrorData::new(ErrorCode::INVALID_REQUEST, what, None), id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> Vec<(Line, Vec<u8>)> {
        let mut input = BufReader::with_capacity(7, input);
        let mut found = Vec::new();
        loop {
            let mut bytes = Vec::new();
            let line = next_line(&mut input, MAX_MESSAGE, &mut bytes).expect("memory can be read");
            if line == Line::End {
                return found;
            }
            found.push((line, bytes));
        }
    }

    #[test]
    fn lines_are_read_whole_and_the_last_needs_no_end() {
        let found: Vec<Vec<u8>> =
            lines(b"{\"a\":1}\n\n{\"b\":\r\n\nlast").into_iter().map(|(_, bytes)| bytes).collect();
        assert_eq!(found, [&b"{\"a\":1}"[..], b"{\"b\":\r", b"last"]);
    }

    #[test]
    fn a_giant_is_skipped_and_its_id_is_found_at_either_end() {
        let fill = "x".repeat(MAX_MESSAGE + 10);
        for (giant, id) in [
            (format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"params\":\"{fill}\"}}"), Some(RequestId::Number(7))),
            (format!("{{\"params\":\"{fill}\",\"id\":\"a\"}}"), Some(RequestId::String("a".into()))),
            (format!("{{\"params\":{{\"x\":\"{fill}\",\"id\":3}}}}"), None),
            (fill.clone(), None),
        ] {
            let found = lines(format!("{giant}\nnext\n").as_bytes());
            assert_eq!(found[0].0, Line::Giant(id));
            assert_eq!(found[1].1, b"next");
        }
    }

    #[test]
    fn what_is_no_message_is_told_apart() {
        let wrong = |text: &str| match parse(text.as_bytes()) {
            Parsed::Wrong(error, id) => Some((error.code.0, id)),
            _ => None,
        };
        assert_eq!(wrong("{nonsense"), Some((-32700, None)));
        assert_eq!(wrong("[]"), Some((-32600, None)));
        assert_eq!(wrong("{\"id\":4}"), Some((-32600, Some(RequestId::Number(4)))));
        assert_eq!(wrong("   "), None);
        assert!(matches!(parse(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"), Parsed::Message(_)));
    }
}
