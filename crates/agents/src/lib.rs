//! One dialect per agent: bytes to events, advice to bytes, and the edits that install us.
