//! A server on loopback that answers as it is told, one answer per connection, and remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use providers::{Endpoint, Key, Request};
use serde_json::Value;

pub(crate) const SECRET: &str = "sk-test-0123456789";

#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// A status and a JSON body.
    Json(u16, Value),
    /// A status, further header lines (each with its end) and a body.
    Text(u16, &'static str, String),
    /// What is promised is longer than what comes.
    Short(&'static str),
    /// One byte of a body every 20 ms, for as long as somebody listens.
    Drip,
    /// Bytes of a body without end.
    Flood,
    /// Nothing, while the client waits.
    Silence,
    /// The connection is torn down before the request is read.
    Reset,
}

#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) line: String,
    pub(crate) headers: Vec<String>,
    pub(crate) body: Value,
}

impl Heard {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let prefix = format!("{name}: ");
        self.headers.iter().find_map(|line| {
            let (start, value) = line.split_at_checked(prefix.len())?;
            start.eq_ignore_ascii_case(&prefix).then_some(value)
        })
    }
}

pub(crate) struct Server {
    pub(crate) url: String,
    heard: Arc<Mutex<Vec<Heard>>>,
}

impl Server {
    /// Plays the answers in order, the last one for ever.
    pub(crate) fn playing(answers: Vec<Answer>) -> Server {
        let mut answers = answers.into_iter().peekable();
        let mut last = answers.peek().unwrap().clone();
        Server::answering(move |_| {
            last = answers.next().unwrap_or_else(|| last.clone());
            last.clone()
        })
    }

    pub(crate) fn answering(mut script: impl FnMut(&Value) -> Answer + Send + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = Arc::clone(&heard);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let Some(request) = listen(&stream) else { continue };
                let answer = script(&request.body);
                hears.lock().unwrap().push(request);
                // A client that left in the middle is what some tests are about.
                thread::spawn(move || speak(&mut stream, &answer).ok());
            }
        });
        Server { url, heard }
    }

    /// Tears down every connection unread.
    pub(crate) fn resetting() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Bytes that were received and not read make the kernel answer with a reset.
                stream.peek(&mut [0]).ok();
                drop(stream);
            }
        });
        Server { url, heard: Arc::default() }
    }

    pub(crate) fn endpoint(&self) -> Endpoint {
        Endpoint::new(&self.url, Key::new(SECRET), None).unwrap()
    }

    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }
}

fn listen(stream: &TcpStream) -> Option<Heard> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        lines.push(line.trim_end().to_owned());
    }
    let mut heard = Heard { line: lines.remove(0), headers: lines, body: Value::Null };
    let length = heard.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    heard.body = serde_json::from_slice(&body).unwrap_or_default();
    Some(heard)
}

fn speak(stream: &mut TcpStream, answer: &Answer) -> std::io::Result<()> {
    let head = |status: u16, more: &str, length: usize| {
        format!("HTTP/1.1 {status} X\r\nconnection: close\r\n{more}content-length: {length}\r\n\r\n")
    };
    match answer {
        Answer::Json(status, body) => {
            let body = body.to_string();
            stream.write_all(format!("{}{body}", head(*status, "", body.len())).as_bytes())
        }
        Answer::Text(status, more, body) => {
            stream.write_all(format!("{}{body}", head(*status, more, body.len())).as_bytes())
        }
        Answer::Short(body) => {
            stream.write_all(format!("{}{body}", head(200, "", body.len() + 100)).as_bytes())
        }
        Answer::Drip => {
            stream.write_all(head(200, "", 1_000_000).as_bytes())?;
            loop {
                stream.write_all(b" ")?;
                thread::sleep(Duration::from_millis(20));
            }
        }
        Answer::Flood => {
            stream.write_all(head(200, "", 1 << 40).as_bytes())?;
            let piece = vec![b' '; 1 << 16];
            loop {
                stream.write_all(&piece)?;
            }
        }
        Answer::Silence => stream.read_to_end(&mut Vec::new()).map(drop),
        Answer::Reset => Ok(()),
    }
}

pub(crate) fn request() -> Request {
    Request {
        system: "Be brief.".to_owned(),
        prompt: "What happened?".to_owned(),
        max_output_tokens: 500,
        schema: None,
    }
}

/// Long enough for a busy machine; no test waits for it.
pub(crate) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

pub(crate) fn at_once() -> Instant {
    Instant::now() + Duration::from_millis(300)
}
