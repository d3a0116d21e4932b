//! Sockets and threads: the hook door, intake, learner and lifecycle.
