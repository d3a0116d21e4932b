//! One connection, with everything pinned that a server's or a role's own settings could change under us.

use std::path::Path;

use postgres::{Client, NoTls};
use store::shared::SharedError;

use crate::error::sort;
use crate::options::{Options, Trust};
use crate::tls;

/// Nothing here takes a tenth of that on a healthy server; a lock somebody left is not waited for longer.
const SESSION: &str = "SET search_path = pg_catalog, pg_temp; SET statement_timeout = '60s'; SET lock_timeout = '20s'; \
    SET idle_in_transaction_session_timeout = '60s'; SET row_security = on; SET default_transaction_isolation = 'read committed'; \
    SET client_min_messages = 'error'";

pub(crate) fn open(options: &Options) -> Result<Client, SharedError> {
    let target = options.target()?;
    let mut client = match &target.trust {
        Trust::Plain => target.config.connect(NoTls),
        Trust::Full(root) => target.config.connect(tls::connector(root.as_deref().map(Path::new))?),
    }
    .map_err(|error| sort(&error))?;
    client.batch_execute(SESSION).map_err(|error| sort(&error))?;
    Ok(client)
}
