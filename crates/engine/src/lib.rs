//! Decisions: behaviors, how their advice is merged, and the configuration they obey.
