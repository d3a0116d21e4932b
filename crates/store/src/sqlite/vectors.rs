//! Vectors as bytes, filed under the memory and the model that made them. What the bytes mean, and which of them are
//! near to each other, is known elsewhere.

use rusqlite::params;

use super::batch::number;
use super::read::unsigned;
use super::{Batch, Tables, sort};
use crate::StoreError;

/// A memory whose vectors are to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    pub n: u64,
    /// Title and text. `None`: the memory is gone, and so must its vectors be.
    pub text: Option<(String, String)>,
}

impl Batch<'_> {
    /// Files the parts of a memory, in place of what was there, also of another model.
    pub fn put_vectors(&mut self, n: u64, identity: &str, parts: &[Vec<u8>]) -> Result<(), StoreError> {
        self.drop_vectors(n)?;
        self.run("INSERT OR IGNORE INTO vector_models (identity) VALUES (?1)", [identity])?;
        let model = self.one("SELECT number FROM vector_models WHERE identity = ?1", [identity])?;
        for (part, vector) in parts.iter().enumerate() {
            self.run(
                "INSERT INTO vectors (n, part, model, vector) VALUES (?1, ?2, ?3, ?4)",
                params![number(n), part as i64, model, vector],
            )?;
        }
        Ok(())
    }

    pub fn drop_vectors(&mut self, n: u64) -> Result<(), StoreError> {
        self.run("DELETE FROM vectors WHERE n = ?1", [number(n)])?;
        self.run("DELETE FROM vectors_due WHERE n = ?1", [number(n)])?;
        Ok(())
    }

    /// The model is now this one: whatever another has made is due again. How many are due.
    pub fn use_model(&mut self, identity: &str) -> Result<u64, StoreError> {
        let same = self.one("SELECT 1 FROM meta WHERE key = 'vector_model' AND value = ?1", [identity])?;
        // Reading every vector at every start would find nothing.
        if same.is_none() {
            self.run(
                "INSERT OR IGNORE INTO vectors_due (n)
                 SELECT DISTINCT n FROM vectors
                 WHERE model IS NOT (SELECT number FROM vector_models WHERE identity = ?1)",
                [identity],
            )?;
            self.set_meta("vector_model", identity)?;
        }
        let due = self.one("SELECT count(*) FROM vectors_due", [])?.unwrap_or(0);
        Ok(due.cast_unsigned())
    }
}

impl Tables {
    /// Memories without a vector, or with one that is no longer true, in the order in which they are worth one: those
    /// that are gone (nothing is to be made of them), what a person or a rule holds on to, what has been of use; then
    /// what was learned before what was merely said; and the youngest first, because they are asked for first. Sorts
    /// all that is due: to be asked now and then, for many at once.
    pub fn first_unembedded(&self, limit: usize) -> Result<Vec<u64>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT due.n FROM vectors_due AS due LEFT JOIN memories USING (n)
                 ORDER BY memories.id IS NOT NULL, pinned + critical + (hits > 0) = 0, kind IN ('chunk', 'prompt'),
                     at DESC, due.n DESC
                 LIMIT ?1",
            )
            .and_then(|mut statement| {
                statement.query_map([limit as i64], |row| unsigned(row, 0))?.collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// The last one that was written among them: whoever has planned by an earlier one may look again.
    pub fn last_unembedded(&self) -> Result<Option<u64>, StoreError> {
        self.connection
            .prepare_cached("SELECT max(n) FROM vectors_due")
            .and_then(|mut statement| statement.query_row([], |row| row.get::<_, Option<i64>>(0)))
            .map(|n| n.map(i64::cast_unsigned))
            .map_err(|e| sort(&self.path, e))
    }

    /// What is to be read of these, in their order; those that are due no more are left out.
    pub fn unembedded(&self, numbers: &[u64]) -> Result<Vec<Unembedded>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare_cached(
                "SELECT due.n, title, text FROM vectors_due AS due LEFT JOIN memories USING (n) WHERE due.n = ?1",
            )?;
            let mut found = Vec::with_capacity(numbers.len());
            for n in numbers {
                let mut rows = statement.query([number(*n)])?;
                while let Some(row) = rows.next()? {
                    let title: Option<String> = row.get(1)?;
                    let text: Option<String> = row.get(2)?;
                    found.push(Unembedded { n: unsigned(row, 0)?, text: title.zip(text) });
                }
            }
            Ok(found)
        };
        read().map_err(|e| sort(&self.path, e))
    }

    pub fn count_unembedded(&self) -> Result<u64, StoreError> {
        self.connection
            .prepare_cached("SELECT count(*) FROM vectors_due")
            .and_then(|mut statement| statement.query_row([], |row| unsigned(row, 0)))
            .map_err(|e| sort(&self.path, e))
    }

    /// Every vector of a model, by memory. Vectors of other models are as if they were not there.
    pub fn each_vector(&self, identity: &str, each: &mut dyn FnMut(u64, &[u8])) -> Result<(), StoreError> {
        let mut read = || {
            let mut statement = self.connection.prepare_cached(
                "SELECT n, vector FROM vectors
                 WHERE model = (SELECT number FROM vector_models WHERE identity = ?1) ORDER BY n, part",
            )?;
            let mut rows = statement.query([identity])?;
            while let Some(row) = rows.next()? {
                let vector = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
                each(unsigned(row, 0)?, vector);
            }
            Ok(())
        };
        read().map_err(|e| sort(&self.path, e))
    }
}

#[cfg(test)]
mod tests {
    use model::{Memory, MemoryId, MemoryKind};

    use super::*;
    use crate::Filing;

    #[test]
    fn what_is_held_on_to_comes_first_then_what_was_learned_newest_first_and_mere_talk_last() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("t.db")).unwrap();
        let of = |id: u64, kind, at| {
            let id = MemoryId::from_u64(id);
            Memory::new(id, kind, at, format!("title {at}"), format!("text {at}"))
        };
        let pinned = Memory { pinned: true, ..of(4, MemoryKind::Note, 10) };
        let memories = [
            of(1, MemoryKind::Bugfix, 30),
            of(2, MemoryKind::Chunk, 90),
            of(3, MemoryKind::Decision, 70),
            pinned,
            of(5, MemoryKind::Prompt, 95),
            of(6, MemoryKind::Change, 50),
        ];
        tables
            .write(|batch| {
                let filing = Filing { seq: 0, tokens: 0, fingerprint: 0 };
                memories.iter().try_for_each(|memory| batch.put_memory(memory, filing).map(|_| ()))
            })
            .unwrap();
        let order = tables.first_unembedded(10).unwrap();
        let times: Vec<String> =
            tables.unembedded(&order).unwrap().into_iter().map(|due| due.text.unwrap().1).collect();
        assert_eq!(times, ["text 10", "text 70", "text 50", "text 30", "text 95", "text 90"]);
        assert_eq!(tables.first_unembedded(2).unwrap(), order[..2]);
        assert_eq!(tables.last_unembedded().unwrap(), order.iter().max().copied());
        tables.write(|batch| batch.put_vectors(order[0], "one", &[vec![1]])).unwrap();
        assert_eq!(tables.unembedded(&order).unwrap().len(), 5, "what is due no more is left out");
    }

    #[test]
    fn a_model_sees_its_own_vectors_and_another_makes_all_of_them_due() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("t.db")).unwrap();
        let due = tables
            .write(|batch| {
                batch.use_model("one")?;
                batch.put_vectors(7, "one", &[vec![1], vec![2]])?;
                batch.put_vectors(8, "one", &[vec![3]])?;
                batch.put_vectors(8, "one", &[vec![4]])?;
                batch.use_model("one")
            })
            .unwrap();
        assert_eq!(due, 0);
        let of = |tables: &Tables, identity: &str| {
            let mut seen = Vec::new();
            tables.each_vector(identity, &mut |n, vector| seen.push((n, vector.to_vec()))).unwrap();
            seen
        };
        assert_eq!(of(&tables, "one"), [(7, vec![1]), (7, vec![2]), (8, vec![4])]);
        assert_eq!(tables.write(|batch| batch.use_model("two")).unwrap(), 2);
        assert!(of(&tables, "two").is_empty());
        // Their memories are not there: nothing is left to embed but to take them out.
        let due = tables.unembedded(&tables.first_unembedded(10).unwrap()).unwrap();
        assert_eq!(
            due.iter().map(|due| (due.n, due.text.is_none())).collect::<Vec<_>>(),
            [(8, true), (7, true)]
        );
        tables.write(|batch| due.iter().try_for_each(|due| batch.drop_vectors(due.n))).unwrap();
        assert!(of(&tables, "one").is_empty());
        assert_eq!(tables.count_unembedded().unwrap(), 0);
    }
}
