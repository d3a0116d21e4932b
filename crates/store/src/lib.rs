//! The journal and the only SQL.
