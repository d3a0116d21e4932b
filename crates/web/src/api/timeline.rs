use super::endpoint::Endpoint;

pub(super) fn endpoints() -> Vec<Endpoint> {
    Vec::new()
}
