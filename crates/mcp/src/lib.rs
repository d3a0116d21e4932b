//! Memory as tools of an agent: the Model Context Protocol over a pipe ([`serve`]) or over HTTP ([`Http`]). Thin on
//! purpose: what is asked is asked of the daemon or read from its tables through a [`Keeper`]; no model and no index
//! live here, so a daemon that is killed between two calls is not noticed. Knows no environment, no path, no command
//! line and no socket: who may come in is decided at the door, before a request is handed to us.
//!
//! Here and in `web` is an async runtime and nowhere else (decisions 9 and 10). Over a pipe it has one thread for the
//! protocol and lends blocking threads to the tools; over HTTP the door's runtime does the same.

mod answer;
mod forwarding;
mod http;
mod keeper;
mod lending;
mod pipe;
mod prompts;
mod resources;
mod server;
mod tools;

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;

pub use forwarding::answer;
pub use http::{Body, Http};
pub use keeper::{Checkpointing, Claiming, End, Keeper, Keepers, Messaging, Note, Refusal, Remembered};
use lending::Lending;
use server::Server;

/// Calls that work at the same time; more wait. Each costs a thread, and a session's agent makes a few at once.
const WORKERS: usize = 4;
/// With hooks there are more: one that waits behind four slow searches is late, and the agent waits with it.
const WORKERS_WITH_HOOKS: usize = 16;
/// A worker that is idle for so long gives its memory back.
const IDLE: Duration = Duration::from_secs(2);
/// What a call that was given up by its client may still take when the client is gone. The daemon finishes what it
/// was told in any case.
const LAST_WORDS: Duration = Duration::from_secs(2);

#[derive(Debug, thiserror::Error)]
pub enum McpError {
    #[error("no thread could be started: {0}")]
    Threads(#[source] io::Error),
    /// The client broke the rules of the first exchange; what it said is not repeated.
    #[error("the client did not begin with an initialize request")]
    Handshake,
}

/// Serves one client until it closes its end. A client that leaves, at whatever moment, is no error.
pub fn serve(
    keeper: Arc<dyn Keeper>,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<(), McpError> {
    let (workers, most) = if keeper.takes_hooks() {
        (WORKERS_WITH_HOOKS, pipe::MAX_EVENT)
    } else {
        (WORKERS, pipe::MAX_MESSAGE)
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .max_blocking_threads(workers)
        .thread_keep_alive(IDLE)
        .build()
        .map_err(McpError::Threads)?;
    let (pipe, writer) = pipe::open(input, output, most).map_err(McpError::Threads)?;
    let served = runtime.block_on(async {
        match Server::new(Lending::to_one(keeper)).serve(pipe).await {
            Ok(running) => {
                // However the loop ended, nobody is left to tell.
                let _ = running.waiting().await;
                Ok(())
            }
            Err(
                ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::TransportError { .. },
            ) => Ok(()),
            Err(_) => Err(McpError::Handshake),
        }
    });
    runtime.shutdown_timeout(LAST_WORDS);
    // Every sender is gone with the runtime, so the writer ends when the last line is out.
    let _ = writer.join();
    served
}
