//! Carries envelopes to the daemon and never opens letters; keeps in the spool what could not be delivered.
