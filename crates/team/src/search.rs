//! Finding by words and by nearness. The database gives candidates with what each side says of them; they are blended
//! here, by the same arithmetic as on one machine. How a question becomes terms is the asker's business.

use std::collections::{BTreeMap, HashMap, HashSet};

use recall::fuse::{self, Candidate};
use recall::query::Looks;
use store::shared::{SharedAsk, SharedError, SharedHit};

use crate::Team;
use crate::error::sort;
use crate::prepared::Work;
use crate::read::MEMORY_COLUMNS;
use crate::rows::{MemoryRow, clean, quoted, read_author, read_memory};

/// Every so many memories one is counted, by its id: how frequent a term is need only be roughly right.
const SAMPLE: i64 = 16;
/// Memories that are ranked for one question. Each lies on a page of its own, and reading those is what words cost: 20 to
/// 40 us for one that is not in the server's own cache, measured among a million.
const RANKED: f64 = 400.0;
/// And at most, whatever was estimated.
const MOST_RANKED: i32 = 800;
/// From each side; what is not among them is not among the best of both.
const CANDIDATES: i32 = 60;
/// A question of more terms is carried by its rarest.
const MAX_TERMS: usize = 24;
/// Rows asked for at most.
const MAX_LIMIT: usize = 200;
/// A candidate by its project and id, with its score.
type Scored = (i64, i64, f32);

/// A model and whether its vectors can be searched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    pub(crate) id: i32,
    pub(crate) indexed: bool,
}

/// The numbers of the models that made these rows' vectors; a new one gets a table. `None`: not kept.
pub(crate) fn models(
    work: &mut Work<'_>,
    rows: &[&MemoryRow],
) -> Result<HashMap<(String, usize), Option<Known>>, postgres::Error> {
    let mut models = HashMap::new();
    for (name, parts) in rows.iter().filter_map(|row| row.vectors.as_ref()) {
        let key = (name.clone(), parts[0].len());
        if models.contains_key(&key) {
            continue;
        }
        let row = work.query_one("SELECT throughline.my_model($1, $2)", &[name, &(key.1 as i32)])?;
        let known = match row.get::<_, Option<i32>>(0) {
            None => None,
            Some(id) => {
                let row = work.query_one("SELECT indexed FROM throughline.models WHERE id = $1", &[&id])?;
                Some(Known { id, indexed: row.get(0) })
            }
        };
        models.insert(key, known);
    }
    Ok(models)
}

/// Models that have a table.
pub(crate) fn indexed(work: &mut Work<'_>) -> Result<Vec<i32>, postgres::Error> {
    let rows = work.query("SELECT id FROM throughline.models WHERE indexed ORDER BY id", &[])?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Only asked where there is a table, so pgvector is there.
pub(crate) fn vector_schema(work: &mut Work<'_>) -> Result<String, postgres::Error> {
    let name: String = work.query_one("SELECT throughline.vector_schema()::text", &[])?.get(0);
    Ok(name.replace('"', "\"\""))
}

/// Counts the terms of every sixteenth memory that is new. The empty term counts memories.
pub(crate) fn sample(work: &mut Work<'_>, rows: &[&MemoryRow]) -> Result<(), postgres::Error> {
    let sampled: Vec<&&MemoryRow> = rows.iter().filter(|row| row.id % SAMPLE == 0).collect();
    if sampled.is_empty() {
        return Ok(());
    }
    let (projects, ids): (Vec<i64>, Vec<i64>) = sampled.iter().map(|row| (row.project, row.id)).unzip();
    let known = work.query(
        "SELECT m.project, m.id FROM throughline.memories m
         JOIN unnest($1::bigint[], $2::bigint[]) AS t(project, id) ON m.project = t.project AND m.id = t.id",
        &[&projects, &ids],
    )?;
    let known: HashSet<(i64, i64)> = known.iter().map(|row| (row.get(0), row.get(1))).collect();
    let mut counts: BTreeMap<(i64, &str), i64> = BTreeMap::new();
    for row in sampled.iter().filter(|row| !known.contains(&(row.project, row.id))) {
        for term in row.terms.distinct.iter().map(String::as_str).chain([""]) {
            *counts.entry((row.project, term)).or_default() += 1;
        }
    }
    let (mut projects, mut terms, mut docs) = (vec![], vec![], vec![]);
    for ((project, term), count) in counts {
        projects.push(project);
        terms.push(term);
        docs.push(count);
    }
    if !terms.is_empty() {
        // In one order, so that two who count the same terms wait for each other and do not deadlock.
        work.execute(
            "INSERT INTO throughline.term_samples AS s (project, term, docs)
             SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[])
             ON CONFLICT (project, term) DO UPDATE SET docs = s.docs + EXCLUDED.docs",
            &[&projects, &terms, &docs],
        )?;
    }
    Ok(())
}

/// A term of a question and how many memories are likely to hold it.
#[derive(Debug, Clone, PartialEq)]
struct Term {
    word: String,
    docs: f64,
}

/// What a match must hold.
#[derive(Debug, PartialEq)]
struct Required {
    first: String,
    /// Where the first finds too little.
    then: Option<String>,
}

/// Rare terms carry a question. Where none is rare, the rarest counts beside any other, and if that is too much, only
/// what holds several at once.
fn required(terms: &[Term], all: f64) -> Required {
    let list = |terms: &[Term], sign: &str| {
        terms.iter().map(|term| quoted(&term.word)).collect::<Vec<_>>().join(sign)
    };
    let mut sum = 0.0;
    let few = terms.iter().take_while(|term| {
        sum += term.docs;
        sum <= RANKED
    });
    let few = few.count();
    if few > 0 {
        return Required { first: list(&terms[..few], " | "), then: None };
    }
    let Some((rarest, others)) = terms.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Required { first: list(terms, " & "), then: None };
    };
    let rarest_alone = quoted(&rarest.word);
    let share = |term: &Term| (term.docs / all.max(1.0)).min(1.0);
    let mut without = 1.0;
    let beside = others.iter().take_while(|other| {
        without *= 1.0 - share(other);
        rarest.docs * (1.0 - without) <= RANKED
    });
    let beside = beside.count();
    if beside > 0 {
        let first = format!("{rarest_alone} & ({})", list(&others[..beside], " | "));
        return Required { first, then: Some(rarest_alone) };
    }
    let mut likely = rarest.docs;
    let together = others.iter().take_while(|other| {
        let more = likely > RANKED;
        likely *= share(other);
        more
    });
    let together = together.count();
    Required { first: list(&terms[..=together], " & "), then: Some(rarest_alone) }
}

impl Team {
    pub(crate) fn find(&mut self, ask: &SharedAsk) -> Result<Vec<SharedHit>, SharedError> {
        let limit = ask.limit.min(MAX_LIMIT);
        if limit == 0 {
            return Ok(Vec::new());
        }
        self.answer(ask, limit).map_err(|error| sort(&error))
    }

    fn answer(&mut self, ask: &SharedAsk, limit: usize) -> Result<Vec<SharedHit>, postgres::Error> {
        let projects = match &ask.projects {
            None => None,
            Some(projects) => {
                let keys: Vec<String> = projects.iter().map(|project| clean(&project.0)).collect();
                let rows =
                    self.query("SELECT id FROM throughline.projects WHERE key = ANY ($1)", &[&keys])?;
                let ids: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
                if ids.is_empty() {
                    return Ok(Vec::new());
                }
                Some(ids)
            }
        };
        let (terms, all) = self.weigh_terms(ask, projects.as_deref())?;
        let question = match &ask.vector {
            Some((model, vector)) if vector.iter().any(|number| *number != 0.0) => {
                let row = self.query(
                    "SELECT id FROM throughline.models WHERE name = $1 AND dims = $2 AND indexed",
                    &[&clean(model), &(vector.len() as i32)],
                )?;
                row.first().map(|row| (row.get::<_, i32>(0), vector.clone()))
            }
            _ => None,
        };
        if terms.is_empty() && question.is_none() {
            return Ok(Vec::new());
        }
        let required = (!terms.is_empty()).then(|| required(&terms, all));
        let first = required.as_ref().map(|required| required.first.as_str());
        let mut found = self.candidates(projects.as_deref(), first, &terms, all, question.as_ref())?;
        if found.len() < limit
            && let Some(then) = required.as_ref().and_then(|required| required.then.as_deref())
        {
            found = self.candidates(projects.as_deref(), Some(then), &terms, all, question.as_ref())?;
        }
        let best = blend(&found, terms.len(), limit);
        self.fetch(&best)
    }

    /// The question's terms, rarest first, and how many memories there are.
    fn weigh_terms(
        &mut self,
        ask: &SharedAsk,
        projects: Option<&[i64]>,
    ) -> Result<(Vec<Term>, f64), postgres::Error> {
        let mut words: Vec<String> = ask.words.iter().map(|word| clean(word)).collect();
        words.retain(|word| !word.is_empty());
        words.sort();
        words.dedup();
        if words.is_empty() {
            return Ok((Vec::new(), 0.0));
        }
        let mut asked = words.clone();
        asked.push(String::new());
        let rows = self.query(
            "SELECT term, sum(docs)::bigint FROM throughline.term_samples
             WHERE ($1::bigint[] IS NULL OR project = ANY ($1)) AND term = ANY ($2) GROUP BY term",
            &[&projects, &asked],
        )?;
        let counted: HashMap<String, i64> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        let docs = |term: &str| counted.get(term).map_or(0.0, |docs| (*docs * SAMPLE) as f64);
        let all = docs("").max(SAMPLE as f64);
        let mut terms: Vec<Term> = words.into_iter().map(|word| Term { docs: docs(&word), word }).collect();
        terms.sort_by(|a, b| a.docs.total_cmp(&b.docs).then_with(|| a.word.cmp(&b.word)));
        terms.truncate(MAX_TERMS);
        Ok((terms, all))
    }

    fn candidates(
        &mut self,
        projects: Option<&[i64]>,
        required: Option<&str>,
        terms: &[Term],
        all: f64,
        question: Option<&(i32, Vec<f32>)>,
    ) -> Result<Vec<Found>, postgres::Error> {
        let words: Vec<String> = terms.iter().map(|term| quoted(&term.word)).collect();
        // How much a term says, as BM25 has it.
        let worth: Vec<f32> = terms
            .iter()
            .map(|term| (1.0 + (all - term.docs).max(0.0) / (term.docs + 0.5)).ln().max(0.01) as f32)
            .collect();
        let (model, vector) = (question.map(|of| of.0), question.map(|of| &of.1));
        let rows = self.query(
            "SELECT project, id, lexical, held, cosine
             FROM throughline.find($1, $2::text::tsquery, $3::text[]::tsquery[], $4, $5, $6, $7, $8)",
            &[&projects, &required, &words, &worth, &model, &vector, &CANDIDATES, &MOST_RANKED],
        )?;
        Ok(rows
            .iter()
            .map(|row| Found {
                project: row.get(0),
                id: row.get(1),
                lexical: row.get::<_, Option<f32>>(2).unwrap_or(0.0),
                held: row.get::<_, Option<i32>>(3).unwrap_or(0),
                cosine: row.get::<_, Option<f32>>(4).filter(|cosine| cosine.is_finite()),
            })
            .collect())
    }

    /// The best, whole, in their order. Asked under the member's own rights.
    fn fetch(&mut self, best: &[Scored]) -> Result<Vec<SharedHit>, postgres::Error> {
        let (projects, ids): (Vec<i64>, Vec<i64>) = best.iter().map(|of| (of.0, of.1)).unzip();
        let sql = format!(
            "SELECT {MEMORY_COLUMNS}, u.name, a.machine, m.project
             FROM unnest($1::bigint[], $2::bigint[]) AS t(project, id)
             JOIN throughline.memories m ON m.project = t.project AND m.id = t.id
             JOIN throughline.projects p ON p.id = m.project
             JOIN throughline.authors a ON a.id = m.author JOIN throughline.members u ON u.id = a.member
             LEFT JOIN throughline.models o ON o.id = m.model"
        );
        let rows = self.query(&sql, &[&projects, &ids])?;
        let mut whole: HashMap<(i64, i64), SharedHit> = HashMap::new();
        for row in &rows {
            if let Some(memory) = read_memory(row, 0) {
                let hit = SharedHit { memory, by: read_author(row, 9), score: 0.0 };
                whole.insert((row.get(11), row.get(5)), hit);
            }
        }
        let hit = |of: &Scored| {
            let hit = whole.remove(&(of.0, of.1))?;
            Some(SharedHit { score: f64::from(of.2), ..hit })
        };
        Ok(best.iter().filter_map(hit).collect())
    }
}

struct Found {
    project: i64,
    id: i64,
    lexical: f32,
    held: i32,
    cosine: Option<f32>,
}

/// Both sides as `recall` blends them; best first.
fn blend(found: &[Found], terms: usize, limit: usize) -> Vec<Scored> {
    let candidates: Vec<Candidate> =
        found.iter().map(|of| Candidate { lexical: of.lexical, cosine: of.cosine }).collect();
    let most_held = found.iter().map(|of| of.held).max().unwrap_or(0);
    let coverage = if terms == 0 { 0.0 } else { most_held as f32 / terms as f32 };
    let share = fuse::dense_share(Looks::Prose, 0.0);
    let voices = fuse::voices(&candidates, share, fuse::trust(coverage));
    let blended = fuse::blend(&candidates, voices);
    let mut scored: Vec<Scored> = found
        .iter()
        .zip(blended)
        .map(|(of, blended)| (of.project, of.id, blended.score.clamp(0.0, 1.0)))
        .collect();
    scored.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| (a.0, a.1).cmp(&(b.0, b.1))));
    scored.truncate(limit);
    scored
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(docs: &[(&str, f64)]) -> Vec<Term> {
        docs.iter().map(|(word, docs)| Term { word: (*word).to_owned(), docs: *docs }).collect()
    }

    #[test]
    fn rare_terms_carry_a_question_and_frequent_ones_only_together() {
        let one = required(&terms(&[("rare", 10.0), ("some", 300.0), ("much", 90_000.0)]), 1e6);
        assert_eq!(one, Required { first: "'rare' | 'some'".to_owned(), then: None });
        let beside =
            required(&terms(&[("some", 900.0), ("much", 9000.0), ("more", 3e5), ("most", 9e5)]), 1e6);
        assert_eq!(beside.first, "'some' & ('much' | 'more')");
        assert_eq!(beside.then.as_deref(), Some("'some'"));
        let many = required(&terms(&[("much", 50_000.0), ("more", 90_000.0), ("most", 400_000.0)]), 1e6);
        assert_eq!(many.first, "'much' & 'more' & 'most'");
        assert_eq!(many.then.as_deref(), Some("'much'"));
        let only = required(&terms(&[("much", 50_000.0)]), 1e6);
        assert_eq!(only, Required { first: "'much'".to_owned(), then: None });
    }
}
