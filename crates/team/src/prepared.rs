//! Statements that the server has understood once: the second time they are one way there and one way back.

use std::collections::HashMap;

use postgres::types::ToSql;
use postgres::{Client, GenericClient, Row, Statement, Transaction};

/// By their text; there are a few dozen.
#[derive(Default)]
pub(crate) struct Prepared(HashMap<String, Statement>);

impl Prepared {
    fn of<C: GenericClient>(&mut self, client: &mut C, sql: &str) -> Result<Statement, postgres::Error> {
        if let Some(known) = self.0.get(sql) {
            return Ok(known.clone());
        }
        let statement = client.prepare(sql)?;
        self.0.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    pub(crate) fn query(
        &mut self,
        client: &mut Client,
        sql: &str,
        arguments: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, postgres::Error> {
        let statement = self.of(client, sql)?;
        client.query(&statement, arguments)
    }
}

/// A transaction that knows them.
pub(crate) struct Work<'a> {
    pub(crate) transaction: Transaction<'a>,
    pub(crate) prepared: &'a mut Prepared,
}

impl Work<'_> {
    pub(crate) fn execute(
        &mut self,
        sql: &str,
        arguments: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, postgres::Error> {
        let statement = self.prepared.of(&mut self.transaction, sql)?;
        self.transaction.execute(&statement, arguments)
    }

    pub(crate) fn query(
        &mut self,
        sql: &str,
        arguments: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, postgres::Error> {
        let statement = self.prepared.of(&mut self.transaction, sql)?;
        self.transaction.query(&statement, arguments)
    }

    pub(crate) fn query_one(
        &mut self,
        sql: &str,
        arguments: &[&(dyn ToSql + Sync)],
    ) -> Result<Row, postgres::Error> {
        let statement = self.prepared.of(&mut self.transaction, sql)?;
        self.transaction.query_one(&statement, arguments)
    }
}
