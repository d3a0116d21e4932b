//! From hits to edits, again and again until the text is still. Owns the settings; reads no JSON.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::AhoCorasick;
use regex_automata::meta::Regex;

use crate::hit::{self, Hit, Stead};
use crate::printing::{self, Prints};
use crate::text::{self, ALNUM, BASE64};
use crate::{Finding, Redacted, RedactedEnvelope, RuleError, Settings};
use crate::{assign, json, mask, personal, scan, structures, tags};

/// Each pass can only find less; two are usual when something was found. This bounds the unusual.
const MOST_PASSES: usize = 16;

/// How far a scanner of single values looks: the longest value and its name.
const NEARBY: usize = 5 * 1024;

/// Expressions of people are kept from eating the machine.
const LARGEST_PATTERN: usize = 1 << 20;

/// Redacts text and envelopes. Cheap to clone and to share between threads.
#[derive(Debug, Clone)]
pub struct Redactor {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    key: [u8; 32],
    literals: Option<AhoCorasick>,
    patterns: Vec<(String, Regex)>,
    allow: HashSet<String>,
    email: bool,
    phone: bool,
}

/// One change of a text, in the coordinates of that text.
#[derive(Debug, Clone)]
pub(crate) struct Edit {
    pub start: usize,
    pub end: usize,
    pub text: Cow<'static, str>,
    pub told: Option<Told>,
}

/// What people are told of an edit.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    pub kind: Cow<'static, str>,
    pub rule: Cow<'static, str>,
    pub mark: Option<String>,
    pub path: Option<String>,
}

impl Edit {
    /// Made by a scanner that looks no further than [`NEARBY`]. Blocks, keys, documents and tables reach further.
    fn is_local(&self) -> bool {
        self.told.as_ref().is_some_and(|told| {
            !matches!(&*told.kind, "private" | "note" | "reminder" | "private-key" | "k8s-secret")
                && told.rule != "password-column"
        })
    }
}

#[derive(Debug, Default)]
#[expect(clippy::struct_field_names, reason = "they are the edits; the rest is said about them")]
pub(crate) struct Edits {
    pub edits: Vec<Edit>,
    /// A private block was left open.
    pub open_private: bool,
    /// A private block was removed.
    pub had_private: bool,
}

impl Redactor {
    /// Fails only on a person's own rules, and says how to repair them.
    pub fn new(settings: Settings) -> Result<Redactor, RuleError> {
        let mut patterns = Vec::with_capacity(settings.patterns.len());
        for (kind, pattern) in settings.patterns {
            let config = Regex::config().nfa_size_limit(Some(LARGEST_PATTERN)).utf8_empty(false);
            let regex =
                Regex::builder().configure(config).build(&pattern).map_err(|error| RuleError::Pattern {
                    kind: kind.clone(),
                    pattern: pattern.clone(),
                    reason: error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string),
                })?;
            if regex.is_match("") {
                return Err(RuleError::MatchesNothing { kind, pattern });
            }
            patterns.push((mask::tidy_kind(&kind), regex));
        }
        let mut allow = HashSet::with_capacity(settings.allow.len());
        for entry in settings.allow {
            let hash = entry.trim().to_ascii_lowercase();
            if !matches!(hash.len(), 6 | 64) || !hash.bytes().all(|b| b.is_ascii_hexdigit()) {
                return Err(RuleError::Allow { entry });
            }
            allow.insert(hash);
        }
        let literals: Vec<String> =
            settings.literals.into_iter().filter(|literal| !literal.is_empty()).collect();
        let literals = if literals.is_empty() {
            None
        } else {
            Some(
                AhoCorasick::builder()
                    .match_kind(aho_corasick::MatchKind::LeftmostLongest)
                    .build(&literals)
                    .map_err(|error| RuleError::Pattern {
                        kind: "literals".into(),
                        pattern: String::new(),
                        reason: error.to_string(),
                    })?,
            )
        };
        Ok(Redactor {
            inner: Arc::new(Inner {
                key: settings.key,
                literals,
                patterns,
                allow,
                email: settings.email,
                phone: settings.phone,
            }),
        })
    }

    /// Redacts plain text. Bytes that are no UTF-8 pass untouched around the findings.
    pub fn bytes(&self, input: &[u8]) -> Redacted {
        let edits = match json::walk(self, input) {
            Some(walked) => walked.edits,
            None => self.edits(input, None).edits,
        };
        Redacted { bytes: apply(input, &edits), findings: findings(edits) }
    }

    /// Redacts one hook envelope. Whatever comes in, one valid JSON value comes out.
    pub fn envelope(&self, json: &[u8]) -> RedactedEnvelope {
        match json::walk(self, json) {
            Some(walked) => RedactedEnvelope {
                json: apply(json, &walked.edits),
                findings: findings(walked.edits),
                parsed: true,
                private_prompt: walked.private_prompt,
            },
            None => json::unreadable(self, json),
        }
    }

    /// The edits that redact `text`, a value called `name` where that is known.
    pub(crate) fn edits(&self, text: &[u8], name: Option<&[u8]>) -> Edits {
        self.edits_of_output(text, name, None)
    }

    /// The same for what a command wrote that prints secrets.
    pub(crate) fn edits_of_output(&self, text: &[u8], name: Option<&[u8]>, prints: Option<Prints>) -> Edits {
        let mut edits = Edits::default();
        let mut first = self.hits(text, name, &mut edits);
        if let Some(prints) = prints {
            let printed = printing::secrets(text, prints);
            first.extend(printed.into_iter().map(|(start, end)| Hit::new(start, end, structures::PRINTED)));
            first = hit::settle(first, &mask::marks(text));
        }
        if first.is_empty() {
            return edits;
        }
        edits.edits = self.to_edits(text, first);
        for _ in 1..MOST_PASSES {
            if edits.edits.is_empty() {
                break;
            }
            let mut again = Edits::default();
            let nearby = edited_len(text, &edits.edits) > NEARBY * 4
                && edits.edits.iter().all(Edit::is_local)
                && self.inner.patterns.is_empty();
            // Usually nothing more is found nearby, and the text with its marks is never needed as a whole.
            let mut current = if nearby { Vec::new() } else { apply(text, &edits.edits) };
            let hits = if nearby {
                self.hits_nearby(text, &edits.edits)
            } else {
                self.hits(&current, name, &mut again)
            };
            if hits.is_empty() {
                break;
            }
            if nearby {
                current = apply(text, &edits.edits);
            }
            let more = self.to_edits(&current, hits);
            if more.is_empty() {
                break;
            }
            edits.edits = compose(&edits.edits, more);
            edits.open_private |= again.open_private;
            edits.had_private |= again.had_private;
        }
        edits
    }

    fn hits(&self, text: &[u8], name: Option<&[u8]>, edits: &mut Edits) -> Vec<Hit> {
        let blocks = tags::find(text);
        edits.open_private |= blocks.open_private;
        edits.had_private |= blocks.hits.iter().any(|hit| hit.kind == "private");
        let mut hits = blocks.hits;
        hits.append(&mut scan::scan(text, 0));
        if let Some(name) = name
            && let Some(hit) = assign::judge_named(name, text)
        {
            hits.push(hit);
        }
        self.own_hits(text, &mut hits);
        if hits.is_empty() {
            return hits;
        }
        hit::settle(hits, &mask::marks(text))
    }

    /// Hits in the edited text, near the marks just made. Further away nothing has changed since the pass before,
    /// and a long text with one secret need not be read twice.
    fn hits_nearby(&self, text: &[u8], edits: &[Edit]) -> Vec<Hit> {
        let mut hits = Vec::new();
        let mut unused = Edits::default();
        let length = edited_len(text, edits);
        let mut near: Vec<Range<usize>> = Vec::new();
        let mut rest = edits;
        // How far the edited text is ahead before the edits left, and behind those of the window.
        let mut ahead: isize = 0;
        while !rest.is_empty() {
            let mut window = 0..0;
            let mut count = 0;
            let mut passed = ahead;
            near.clear();
            for edit in rest {
                let at = edit.start.strict_add_signed(passed);
                let end = at + edit.text.len();
                let start = at.saturating_sub(2 * NEARBY);
                if count == 0 {
                    window.start = start;
                } else if start >= window.end {
                    break;
                }
                window.end = length.min(end + 2 * NEARBY);
                near.push(at.saturating_sub(NEARBY)..end + NEARBY);
                passed += growth(edit);
                count += 1;
            }
            let (inside, behind) = rest.split_at(count);
            let whence = window.start.strict_add_signed(-ahead)..window.end.strict_add_signed(-passed);
            let edited = apply_within(text, whence, inside);
            for mut hit in self.hits(&edited, None, &mut unused) {
                hit.start += window.start;
                hit.end += window.start;
                hit.whole = hit.whole.map(|whole| whole.start + window.start..whole.end + window.start);
                let next = near.partition_point(|near| near.end <= hit.start);
                if near.get(next).is_some_and(|near| near.start < hit.end) {
                    hits.push(hit);
                }
            }
            rest = behind;
            ahead = passed;
        }
        hits
    }

    fn own_hits(&self, text: &[u8], hits: &mut Vec<Hit>) {
        if let Some(literals) = &self.inner.literals {
            for found in literals.find_iter(text) {
                hits.push(Hit::named(found.start(), found.end(), "custom".into(), "literal".into()));
            }
        }
        for (kind, regex) in &self.inner.patterns {
            for found in regex.find_iter(text) {
                hits.push(Hit::named(found.start(), found.end(), kind.clone().into(), kind.clone().into()));
            }
        }
        if self.inner.email {
            personal::emails(text, hits);
        }
        if self.inner.phone {
            personal::phones(text, hits);
        }
    }

    /// Hits that are already settled, as edits.
    pub(crate) fn edits_of(&self, text: &[u8], hits: Vec<Hit>) -> Vec<Edit> {
        self.to_edits(text, hits)
    }

    fn to_edits(&self, text: &[u8], hits: Vec<Hit>) -> Vec<Edit> {
        let mut edits = Vec::with_capacity(hits.len());
        for hit in hits {
            if hit.stead == Stead::Nothing {
                let told =
                    (!hit.silent).then_some(Told { kind: hit.kind, rule: hit.rule, mark: None, path: None });
                // Two halves of a tag must not meet where the block between them was.
                let between = !hit.silent && tags::joins_into_a_tag(&text[..hit.start]);
                let text = if between { mask::mark("private", None).into() } else { "".into() };
                edits.push(Edit { start: hit.start, end: hit.end, text, told });
                continue;
            }
            let value = Self::value(text, &hit);
            let hashed = mask::is_hashable(hit.password, &value).then(|| mask::h6(&self.inner.key, &value));
            if self.is_allowed(&value, hashed.as_deref()) {
                continue;
            }
            edits.push(Edit {
                start: hit.start,
                end: hit.end,
                text: mask::mark(&hit.kind, hashed.as_deref()).into(),
                told: Some(Told { kind: hit.kind, rule: hit.rule, mark: hashed, path: None }),
            });
        }
        edits
    }

    /// What is hashed: the value itself, or the letters of a key whose lines are wrapped in something.
    fn value<'t>(text: &'t [u8], hit: &Hit) -> Cow<'t, [u8]> {
        match &hit.whole {
            Some(whole) => {
                let whole: Range<usize> = whole.clone();
                Cow::Owned(text[whole].iter().copied().filter(|&b| text::is(b, ALNUM | BASE64)).collect())
            }
            None => Cow::Borrowed(&text[hit.start..hit.end]),
        }
    }

    fn is_allowed(&self, value: &[u8], hashed: Option<&str>) -> bool {
        !self.inner.allow.is_empty()
            && (hashed.is_some_and(|h6| self.inner.allow.contains(h6))
                || self.inner.allow.contains(&mask::sha256(value)))
    }
}

/// `text` with `edits` (sorted, apart) made.
pub(crate) fn apply(text: &[u8], edits: &[Edit]) -> Vec<u8> {
    apply_within(text, 0..text.len(), edits)
}

/// A part of `text` with `edits`, which are all inside it, made.
fn apply_within(text: &[u8], part: Range<usize>, edits: &[Edit]) -> Vec<u8> {
    if edits.is_empty() {
        return text[part].to_vec();
    }
    let mut output = Vec::with_capacity(part.len() + 64);
    let mut from = part.start;
    for edit in edits {
        output.extend_from_slice(&text[from..edit.start]);
        output.extend_from_slice(edit.text.as_bytes());
        from = edit.end;
    }
    output.extend_from_slice(&text[from..part.end]);
    output
}

/// How much longer an edit makes the text.
fn growth(edit: &Edit) -> isize {
    edit.text.len() as isize - (edit.end - edit.start) as isize
}

fn edited_len(text: &[u8], edits: &[Edit]) -> usize {
    text.len().strict_add_signed(edits.iter().map(growth).sum())
}

/// Edits of an edited text, carried back to the text it came from.
pub(crate) fn compose(first: &[Edit], second: Vec<Edit>) -> Vec<Edit> {
    let mut composed: Vec<Edit> = Vec::with_capacity(first.len() + second.len());
    let mut next = 0;
    // How far the edited text is ahead of the original after the edits passed so far.
    let mut grown: isize = 0;
    for edit in second {
        // First edits that end at or before the start stay as they are.
        while next < first.len()
            && (first[next].start as isize + grown) + first[next].text.len() as isize <= edit.start as isize
        {
            grown += growth(&first[next]);
            composed.push(first[next].clone());
            next += 1;
        }
        let start = (edit.start as isize - grown) as usize;
        // Those inside are swallowed: what they left was found again as part of something larger.
        while next < first.len() && (first[next].start as isize + grown) < edit.end as isize {
            grown += growth(&first[next]);
            next += 1;
        }
        let end = (edit.end as isize - grown) as usize;
        composed.push(Edit { start, end, ..edit });
    }
    composed.extend_from_slice(&first[next..]);
    composed
}

pub(crate) fn findings(edits: Vec<Edit>) -> Vec<Finding> {
    edits
        .into_iter()
        .filter_map(|edit| {
            let told = edit.told?;
            Some(Finding {
                kind: told.kind,
                rule: told.rule,
                start: edit.start,
                end: edit.end,
                mark: told.mark,
                path: told.path,
            })
        })
        .collect()
}
