//! Command lines that take a password as an argument. A flag means what its program says: `-p` is a
//! password to `mysql` and a port to `docker run`, so each program brings its own list.

mod programs;

use crate::hit::{Hit, Rule};
use crate::holes;
use crate::likeness::Shape;
use crate::scan::Scan;
use crate::text::{self, ALNUM};
use crate::value;
use programs::{Flag, Meets, PROGRAMS, Part};

/// Longest command read; what follows is another command or data.
const LONGEST_COMMAND: usize = 2048;
const MOST_WORDS: usize = 64;
/// So near to where reading stops, a word may have been cut off.
const LONGEST_TAIL: usize = 16;
const MOST_NESTED: usize = 4;

pub(crate) static RULES: &[Rule] = &[Rule {
    name: "command-argument",
    kind: "password",
    password: true,
    catches: "mysql -u root -p's3cr3tPw' app",
    spares: "docker run -p 8080:80 nginx",
}];

pub(crate) fn programs() -> impl Iterator<Item = &'static str> {
    let mut seen: Vec<&'static str> = PROGRAMS.iter().map(|program| program.name).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.into_iter()
}

/// A word of a command, without its quotes, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word {
    start: usize,
    end: usize,
    /// Where the value begins after a glued flag may be behind an opening quote.
    raw_start: usize,
}

/// The words of the command read last. A program named among its arguments takes those behind it, so that no
/// line is split as often as it names programs.
#[derive(Debug, Default)]
pub(crate) struct Line {
    words: Vec<Word>,
    /// Where the next word would be looked for.
    next: usize,
    /// The command has more words than were wanted.
    more: bool,
    /// It ended by itself, not where reading stopped.
    whole: bool,
    /// So many of the words were held against the flags of `program`.
    applied: usize,
    program: Option<&'static str>,
}

impl Line {
    /// Makes `words` those behind the program that stands from `at` to `after`.
    fn take(&mut self, text: &[u8], at: usize, after: usize) {
        let known = self.words.binary_search_by_key(&at, |word| word.raw_start).ok();
        match known
            .filter(|&known| self.whole && self.words[known].start == at && self.words[known].end == after)
        {
            Some(known) => {
                self.words.drain(..=known);
                self.applied = self.applied.saturating_sub(known + 1);
                if !self.more {
                    return;
                }
            }
            None => self.start_at(after),
        }
        let limit = text.len().min(after + LONGEST_COMMAND);
        self.next = split(text, self.next, limit, &mut self.words);
        self.more = self.words.len() == MOST_WORDS;
        self.whole = self.next + LONGEST_TAIL < limit;
    }

    /// Forgets the command before.
    fn start_at(&mut self, next: usize) {
        self.words.clear();
        *self = Line { words: std::mem::take(&mut self.words), next, ..Line::default() };
    }
}

pub(crate) fn scan(scan: &mut Scan<'_>, at: usize, name: &[u8]) -> usize {
    let text = scan.text;
    let after = at + name.len();
    let previous = text::before(text, at);
    // `12:mysql …` is a numbered line; `std::mysql` is not a command.
    let numbered = previous == b':' && at >= 2 && text::is(text[at - 2], ALNUM);
    let joined = matches!(previous, b'-' | b'_' | b'.' | b':' | b',' | b'@' | b'#') && !numbered;
    if joined || text::is(previous, ALNUM) && !text::begins_token(text, at) {
        return at + 1;
    }
    if name == b"chpasswd" {
        return chpasswd(scan, at);
    }
    // These are also words of every log: only an option, a method or an address makes them commands.
    if matches!(name, b"http " | b"https " | b"xh ")
        && !matches!(text::at(text, after), b'-' | b'P' | b'G' | b'D' | b':')
    {
        return after;
    }
    let next = text::at(text, after);
    // ['docker', 'login', '-p', 'secret']
    let listed =
        matches!(next, b'"' | b'\'') && previous == next && matches!(text::at(text, after + 1), b',' | b' ')
            || next == b'\\' && matches!(text::at(text, after + 2), b',' | b' ');
    if !(listed
        || name.ends_with(b" ")
        || next == b' '
        || next == b'\t'
        || (next == b'.' && text::starts_with_folded(text, after, b".exe ")))
    {
        return after;
    }
    // Programs named in the arguments of programs: `docker exec db mysql -p…` has two, an attack has thousands.
    if at < scan.command_until {
        scan.commands += 1;
        if scan.commands > MOST_NESTED {
            return after;
        }
    } else {
        scan.commands = 0;
    }
    let stop = text::line_end(text, after, LONGEST_COMMAND);
    if memchr::memchr3(b'-', b'/', b' ', &text[after..stop]).is_none() {
        return after;
    }
    let mut line = std::mem::take(&mut scan.line);
    if listed {
        line.start_at(after);
        split_list(text, after, &mut line.words);
    } else {
        line.take(text, at, after);
    }
    let words = &line.words[..];
    scan.command_until = words.last().map_or(after, |word| word.end);
    let programs = PROGRAMS.iter().filter(|program| {
        program.name.len() == name.len()
            && program.name.as_bytes()[0] == name[0]
            && program.name.as_bytes() == name
    });
    let mut applied = None;
    for program in programs {
        if !program.with.is_empty()
            && !words.iter().any(|word| text[word.start..word.end].starts_with(program.with.as_bytes()))
        {
            continue;
        }
        // The same program again has held these words against the same flags, but for the last one: what
        // stands behind that was not known.
        let same = program.with.is_empty() && line.program == Some(program.name);
        let from = if same { line.applied.saturating_sub(1) } else { 0 };
        for flag in program.flags {
            apply(scan, words, from, flag);
        }
        applied = Some(program.name);
    }
    line.applied = words.len();
    line.program = applied;
    scan.line = line;
    // The words may hold other assignments: the scan goes on behind the name.
    after
}

/// Takes what `flag` announces among `words`, from the word `from` on if it is not told by its place.
fn apply(scan: &mut Scan<'_>, words: &[Word], from: usize, flag: &Flag) {
    let text = scan.text;
    if let Meets::Place(place) = flag.meets {
        // `/user:me` is an option, `/etc/htpasswd` a file.
        let mut plain = words.iter().filter(|word| {
            let first = text::at(text, word.start);
            let option = first == b'/' && text::count(&text[word.start..word.end], b'/') == 1;
            first != b'-' && !option
        });
        if let Some(word) = plain.nth(place - 1) {
            take(scan, *word, flag.part);
        }
        return;
    }
    let wanted = flag.word.as_bytes();
    let second = text::at(wanted, 1);
    for (index, word) in words.iter().enumerate().skip(from) {
        let bytes = &text[word.start..word.end];
        // Two bytes tell most words from the flag without a call to compare them.
        if bytes.first() != wanted.first() || text::at(bytes, 1) != second && wanted.len() > 1 {
            continue;
        }
        let Some(rest) = bytes.strip_prefix(wanted) else { continue };
        if rest.is_empty() {
            if flag.meets != Meets::Glued
                && let Some(next) = words.get(index + 1)
                && text::at(text, next.raw_start) != b'-'
            {
                take(scan, *next, flag.part);
            } else if flag.meets != Meets::Apart && text::at(text, word.end) != b' ' {
                // -p'secret': the split stopped at the quote.
                if let Some(next) = words.get(index + 1).filter(|next| next.raw_start == word.end) {
                    take(scan, *next, flag.part);
                }
            }
        } else if let Some(value) = rest.strip_prefix(b"=") {
            take(scan, Word { start: word.end - value.len(), ..*word }, flag.part);
        } else if flag.meets != Meets::Apart {
            take(scan, Word { start: word.end - rest.len(), ..*word }, flag.part);
        }
    }
}

fn take(scan: &mut Scan<'_>, word: Word, part: Part) {
    let text = scan.text;
    let bytes = &text[word.start..word.end];
    let skip = match part {
        Part::Whole => Some(0),
        Part::AfterColon => memchr::memchr(b':', bytes).map(|at| at + 1),
        Part::AfterPercent => memchr::memchr(b'%', bytes).map(|at| at + 1),
        Part::AfterComma => memchr::memchr(b',', bytes).map(|at| at + 1),
        Part::AfterSlash => memchr::memchr(b'/', bytes).map(|at| at + 1),
        Part::AfterPass => match bytes.strip_prefix(b"pass:") {
            Some(_) => Some(5),
            None if bytes.starts_with(b"env:")
                || bytes.starts_with(b"file:")
                || bytes.starts_with(b"fd:")
                || bytes == b"stdin" =>
            {
                None
            }
            None => Some(0),
        },
    };
    let Some(skip) = skip else { return };
    let start = word.start + skip;
    let mut end = word.end;
    if part == Part::AfterSlash
        && let Some(at) = memchr::memrchr(b'@', &text[start..end])
    {
        end = start + at;
    }
    if end <= start {
        return;
    }
    let value = &text[start..end];
    if value.len() < 3
        || holes::is_placeholder(value)
        || value == b"-"
        || value.starts_with(b"@")
            && part == Part::Whole
            && value[1..].iter().all(|&b| text::is(b, text::NAME) || b == b'/')
        || value.starts_with(b"--")
    {
        return;
    }
    // `curl -u user:` asks; `mongo -p 27017` is still a port to people who mix them up.
    let shape = Shape::of(value);
    if shape.digits == shape.len && shape.len <= 5 {
        return;
    }
    scan.hits.push(Hit::new(start, end, &RULES[0]));
}

/// Takes the strings of a list of arguments, up to its end.
fn split_list(text: &[u8], from: usize, words: &mut Vec<Word>) {
    let stop = text::line_end(text, from, LONGEST_COMMAND);
    let mut at = text::run_end_of(text, from, b'\\', 4) + 1;
    while words.len() < MOST_WORDS {
        while at < stop && matches!(text[at], b',' | b' ' | b'\t') {
            at += 1;
        }
        let quote = text::run_end_of(text, at, b'\\', 4);
        if at >= stop || !matches!(text::at(text, quote), b'"' | b'\'') {
            break;
        }
        let word = read_word(text, at, stop);
        words.push(word);
        at = text::run_end_of(text, word.end, b'\\', 4) + 1;
    }
}

/// Splits a command into words as a shell would, up to its end. Returns where it stopped.
fn split(text: &[u8], from: usize, limit: usize, words: &mut Vec<Word>) -> usize {
    let mut at = from;
    while at < limit && words.len() < MOST_WORDS {
        let byte = text[at];
        match byte {
            b' ' | b'\t' => at += 1,
            b'\\' if matches!(text::at(text, at + 1), b'\n') => at += 2,
            b'\\' if text::starts_with(text, at, b"\\\r\n") => at += 3,
            b'\n' | b'\r' | b'|' | b';' | b'&' | b'`' => break,
            b'#' if text::at(text, at + 1) == b' ' => break,
            b'\\' if text::at(text, at + 1) == b'n' => break,
            _ => {
                let word = read_word(text, at, limit);
                let next = word.end.max(at + 1);
                words.push(word);
                at = next;
                // Step over the closing quote, escaped or not.
                let slashes = text::run_end_of(text, at, b'\\', 4);
                if slashes < limit
                    && matches!(text::at(text, slashes), b'"' | b'\'')
                    && word.start > word.raw_start
                {
                    at = slashes + 1;
                }
            }
        }
    }
    at
}

fn read_word(text: &[u8], at: usize, limit: usize) -> Word {
    let slashes = text::run_end_of(text, at, b'\\', 4);
    let quote = text::at(text, slashes);
    if matches!(quote, b'"' | b'\'') {
        let start = slashes + 1;
        let depth = slashes - at;
        let mut from = start;
        while from < limit {
            let Some(found) = memchr::memchr2(quote, b'\n', &text[from..limit]) else { break };
            let close = from + found;
            let back = close - text::run_start_of(text, close, b'\\', close - start);
            if text[close] == b'\n' || back <= depth {
                return Word {
                    start,
                    end: close - if text[close] == quote { back } else { 0 },
                    raw_start: at,
                };
            }
            from = close + 1;
        }
        return Word { start, end: limit, raw_start: at };
    }
    let mut end = at;
    while end < limit {
        let byte = text[end];
        if text::is(byte, text::NAME) {
            end += 1;
            continue;
        }
        let escaped_quote = byte == b'\\' && {
            let after = text::run_end_of(text, end, b'\\', 8);
            let line_break = after == end + 1 && text::at(text, after) == b'n' && text[at] != b'\\';
            line_break || matches!(text::at(text, after), b'"' | b'\'' | b'\n')
        };
        if byte <= b' '
            || matches!(byte, b'"' | b'\'' | b'`' | b'|' | b';')
            || escaped_quote
            || byte == b'[' && text::starts_with(text, end, crate::mask::OPENING)
        {
            break;
        }
        end += 1;
    }
    Word { start: at, end: end.max(at + 1).min(limit.max(at + 1)), raw_start: at }
}

/// `echo 'user:password' | chpasswd`
fn chpasswd(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let start = text::line_start(text, at);
    let lead = &text[start..at];
    let resume = at + 8;
    // chpasswd <<< 'user:password'
    let stop = text::line_end(text, resume, 200);
    if let Some(here) = memchr::memmem::find(&text[resume..stop], b"<<<") {
        let from = text::skip_blank(text, resume + here + 3, 4);
        if let Some(word) = value::read(text, from, value::Ending::Blank)
            && let Some(colon) = memchr::memchr(b':', &text[word.start..word.end])
            && !holes::is_placeholder(&text[word.start + colon + 1..word.end])
        {
            scan.hits.push(Hit::new(word.start + colon + 1, word.end, &RULES[0]));
        }
        return resume;
    }
    let Some(echo) = memchr::memmem::find(lead, b"echo ") else { return resume };
    let Some(colon) = memchr::memchr(b':', &lead[echo..]) else { return resume };
    let from = start + echo + colon + 1;
    let mut end = from;
    while end < at && !matches!(text[end], b'"' | b'\'' | b' ' | b'|' | b'\n') {
        end += 1;
    }
    if end > from + 2 && !holes::is_placeholder(&text[from..end]) {
        scan.hits.push(Hit::new(from, end, &RULES[0]));
    }
    resume
}
