//! Command lines that take a password as an argument. A flag means what its program says: `-p` is a
//! password to `mysql` and a port to `docker run`, so each program brings its own list.

mod programs;

use crate::hit::{Hit, Rule};
use crate::likeness::Shape;
use crate::scan::Scan;
use crate::text::{self, ALNUM};
use crate::value;
use programs::{Flag, Meets, PROGRAMS, Part};

/// Longest command read; what follows is another command or data.
const LONGEST_COMMAND: usize = 2048;
const MOST_WORDS: usize = 64;
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
struct Word {
    start: usize,
    end: usize,
    /// Where the value begins after a glued flag may be behind an opening quote.
    raw_start: usize,
}

pub(crate) fn scan(scan: &mut Scan<'_>, at: usize, name: &[u8]) -> usize {
    let text = scan.text;
    let after = at + name.len();
    let previous = text::before(text, at);
    // `12:mysql …` is a numbered line; `std::mysql` is not a command.
    let numbered = previous == b':' && at >= 2 && text::is(text[at - 2], text::DIGIT);
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
    let mut words = [Word { start: 0, end: 0, raw_start: 0 }; MOST_WORDS];
    let count = if listed { split_list(text, after, &mut words) } else { split(text, after, &mut words) };
    let words = &words[..count];
    scan.command_until = words.last().map_or(after, |word| word.end);
    for program in PROGRAMS.iter().filter(|program| program.name.as_bytes() == name) {
        if !program.with.is_empty()
            && !words.iter().any(|word| text[word.start..word.end].starts_with(program.with.as_bytes()))
        {
            continue;
        }
        for flag in program.flags {
            apply(scan, words, flag);
        }
    }
    // The words may hold other assignments: the scan goes on behind the name.
    after
}

fn apply(scan: &mut Scan<'_>, words: &[Word], flag: &Flag) {
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
    for (index, word) in words.iter().enumerate() {
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
        || value::is_placeholder(value)
        || value == b"-"
        || value.starts_with(b"@") && part == Part::Whole && !value.ends_with(b"@")
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
fn split_list(text: &[u8], from: usize, words: &mut [Word; MOST_WORDS]) -> usize {
    let stop = text::line_end(text, from, LONGEST_COMMAND);
    let mut at = text::run_end_of(text, from, b'\\', 4) + 1;
    let mut count = 0;
    while count < MOST_WORDS {
        while at < stop && matches!(text[at], b',' | b' ' | b'\t') {
            at += 1;
        }
        let quote = text::run_end_of(text, at, b'\\', 4);
        if at >= stop || !matches!(text::at(text, quote), b'"' | b'\'') {
            break;
        }
        let word = read_word(text, at, stop);
        words[count] = word;
        count += 1;
        at = text::run_end_of(text, word.end, b'\\', 4) + 1;
    }
    count
}

/// Splits a command into words as a shell would, up to its end.
fn split(text: &[u8], from: usize, words: &mut [Word; MOST_WORDS]) -> usize {
    let limit = text.len().min(from + LONGEST_COMMAND);
    let mut at = from;
    let mut count = 0;
    while at < limit && count < MOST_WORDS {
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
                words[count] = word;
                count += 1;
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
    count
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
    let Some(echo) = memchr::memmem::find(lead, b"echo ") else { return resume };
    let Some(colon) = memchr::memchr(b':', &lead[echo..]) else { return resume };
    let from = start + echo + colon + 1;
    let mut end = from;
    while end < at && !matches!(text[end], b'"' | b'\'' | b' ' | b'|' | b'\n') {
        end += 1;
    }
    if end > from && !value::is_placeholder(&text[from..end]) {
        scan.hits.push(Hit::new(from, end, &RULES[0]));
    }
    resume
}
