//! Sentences that tell a credential: "the password for the box is …", "use … as the password",
//! "credentials: me / …". Finds where the value stands in the sentence; whether such a word can be a
//! password is judged elsewhere, and more strictly than in a configuration file.

use std::sync::OnceLock;

use crate::hit::{Hit, Rule};
use crate::holes;
use crate::judge;
use crate::lexicon::{self, Strength};
use crate::likeness::Shape;
use crate::lines;
use crate::scan::Scan;
use crate::text::{self, ALNUM, ALPHA};
use crate::value::{self, Ending, Value};
use crate::words;

/// "the passphrase for the deploy key on the old box is …": further away it is another thought.
const MOST_WORDS: usize = 6;
const LONGEST_SENTENCE: usize = 72;
/// Longer words of a sentence are data.
const LONGEST_WORD: usize = 128;

pub(crate) static RULES: &[Rule] = &[
    Rule {
        name: "told-password",
        kind: "password",
        password: true,
        catches: "please use `s3cr3tPw9` as the password",
        spares: "please use bcrypt2 hashes as the password column",
    },
    Rule {
        name: "told-credentials",
        kind: "password",
        password: true,
        catches: "credentials for db.internal: me / s3cr3tPw9",
        spares: "credentials for db.internal: user / password",
    },
];

/// Words that join a credential's name to the credential, in the languages people keep them in.
#[rustfmt::skip]
const VERBS: &[&[u8]] = &[
    b"is", b"was", b"to", b"be", b"are", b"becomes", b"equals", b"reads", b"remains", b"ist", b"lautet", b"war",
    b"auf", b"est", b"es", b"era", b"sera", b"jest", b"from", b"value", "é".as_bytes(), "è".as_bytes(), b"ser", b"foi",
];

/// After these, the credential itself must follow: a plain word behind "to" is what somebody does.
const STATES: &[&[u8]] = &[b"is", b"was", b"ist", b"lautet", b"est", b"es", b"jest"];

/// A colon behind these announces an explanation.
#[rustfmt::skip]
const EXPLAINS: &[&[u8]] = &[
    b"format", b"example", b"following", b"characters", b"requirements", b"rules", b"error", b"note", b"criteria",
    b"fields", b"options", b"types", b"like", b"policy", b"steps", b"follows", b"so", b"this",
];

/// Words that describe a name in a program and an owner in a sentence: "the key for the API is …".
const OWNERS: &[&[u8]] = &[
    b"api", b"auth", b"service", b"host", b"env", b"account", b"vault", b"store", b"page", b"view", b"board",
    b"list", b"group",
];

/// What may stand between the verb and the value: "is now set to …".
#[rustfmt::skip]
const FILLERS: &[&[u8]] = &[
    b"now", b"currently", b"still", b"set", b"to", b"be", b"changed", b"reset", b"just", b"simply",
    b"actually", b"always", b"temporarily", b"literally", b"jetzt", b"the", b"string", b"value", b"been",
];

/// Where the value begins in the sentence that goes on at `at`, behind the name of a credential.
pub(crate) fn said(text: &[u8], at: usize) -> Option<usize> {
    if is_opening(text, at) {
        return Some(at);
    }
    let limit = text.len().min(at + LONGEST_SENTENCE);
    let mut from = at;
    for _ in 0..MOST_WORDS {
        let end = word_end(text, from, limit);
        if end == from {
            return None;
        }
        let word = &text[from..end];
        let verb = is_one_of(word, VERBS);
        let colon = text::at(text, end) == b':';
        let next = end + usize::from(colon);
        if !matches!(text::at(text, next), b' ' | b'\t') {
            return None;
        }
        from = text::skip_blank(text, next, 4);
        // SET PASSWORD FOR me = '…'
        if text::starts_with(text, from, b"= ") {
            return Some(text::skip_blank(text, from + 2, 4));
        }
        // "the password hasher is …" speaks of something else.
        let described = || {
            text[at..end]
                .split(|&b| b == b' ')
                .any(|word| lexicon::describes(word) && !is_one_of(word, OWNERS))
        };
        if colon {
            return (!is_one_of(word, EXPLAINS) && !described()).then_some(from);
        }
        if verb {
            let state = is_one_of(word, STATES);
            return after_fillers(text, from, limit)
                .or(Some(from))
                .filter(|&value| is_told(text, value, state) && !described());
        }
        if is_opening(text, from) {
            return None;
        }
    }
    None
}

/// "the password, it's …", "her password. New one: …"
pub(crate) fn after_pronoun(text: &[u8], at: usize) -> Option<usize> {
    if !matches!(text::at(text, at), b',' | b'.') || text::at(text, at + 1) != b' ' {
        return None;
    }
    #[rustfmt::skip]
    const PRONOUNS: &[&[u8]] = &[
        b"it's ", b"it is ", b"its ", b"new one: ", b"the new one is ", b"new one is ", b"namely ",
        b"now it's ", b"now ", b"it's now ", b"it is now ", b"here it is: ",
    ];
    let word = PRONOUNS.iter().find(|word| text::starts_with_folded(text, at + 2, word))?;
    let value = at + 2 + word.len();
    is_told(text, value, false).then_some(value)
}

/// A credential on a line of its own, behind a line that ends by naming it. What viewers put before lines
/// is no part of it.
pub(crate) fn on_next_line(text: &[u8], line_break: usize) -> Option<Value> {
    let mut at = line_break;
    for _ in 0..2 {
        at += usize::from(text::at(text, at) == b'\r');
        if text::at(text, at) != b'\n' {
            return None;
        }
        at += 1;
        let end = text::line_end(text, at, value::LONGEST_VALUE);
        let lead = lines::prefix(&text[at..end]);
        let line = text[at + lead..end].trim_ascii();
        if line.is_empty() {
            at = end;
            continue;
        }
        let start = at + lead + text[at + lead..end].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let bare = line.strip_prefix(b"`").and_then(|line| line.strip_suffix(b"`")).unwrap_or(line);
        let start = start + usize::from(bare.len() < line.len());
        let alone = bare.len() >= 4
            && !bare.starts_with(b"``")
            && !bare.iter().any(|&b| b <= b' ' || matches!(b, b'"' | b'\'' | b'`' | b'(' | b','));
        return alone.then_some(Value { start, end: start + bare.len(), quoted: false });
    }
    None
}

fn after_fillers(text: &[u8], from: usize, limit: usize) -> Option<usize> {
    let mut at = from;
    for _ in 0..3 {
        let end = word_end(text, at, limit);
        if end == at || !is_one_of(&text[at..end], FILLERS) {
            break;
        }
        let colon = usize::from(text::at(text, end) == b':');
        if !matches!(text::at(text, end + colon), b' ' | b'\t') {
            break;
        }
        at = text::skip_blank(text, end + colon, 4);
    }
    (at > from).then_some(at)
}

/// Cheap, and false for nearly every sentence about passwords: the word is quoted, or is no plain word.
fn is_told(text: &[u8], at: usize, state: bool) -> bool {
    if is_opening(text, at) {
        return true;
    }
    if !is_plain_word(text, at) {
        return true;
    }
    let end = text::run_end(text, at, ALPHA, 64);
    state && end - at >= 10 && matches!(text::at(text, end), b'\n' | b'\r' | 0)
}

/// The word at `at`, read to the next blank, is made of letters: "required", "don't", "and/or", "set."
pub(crate) fn is_plain_word(text: &[u8], at: usize) -> bool {
    let end = blank_after(text, at);
    let word = without_stops(&text[at..end]);
    word.is_empty()
        || word.iter().all(|&b| text::is(b, ALPHA) || b >= 0x80 || matches!(b, b'\'' | b'/' | b'-'))
            && text::count(word, b'-') < 3
}

/// The word at `at` is several words with joints: correct-horse-battery-staple.
pub(crate) fn is_chain(text: &[u8], at: usize) -> bool {
    let word = without_stops(&text[at..blank_after(text, at)]);
    words::is_word_chain(word, &Shape::of(word))
}

/// Where the word at `at` ends: at a blank.
fn blank_after(text: &[u8], at: usize) -> usize {
    let limit = text.len().min(at + LONGEST_WORD);
    text[at.min(limit)..limit].iter().position(|&b| b <= b' ' || b == 0x7f).map_or(limit, |found| at + found)
}

/// A word without what a sentence puts behind it.
fn without_stops(word: &[u8]) -> &[u8] {
    let end = word
        .iter()
        .rposition(|&b| {
            !matches!(b, b'.' | b',' | b';' | b':' | b'!' | b'?' | b')' | b'"' | b'\'' | b'=' | b']' | b'}')
        })
        .map_or(0, |last| last + 1);
    &word[..end]
}

fn is_opening(text: &[u8], at: usize) -> bool {
    matches!(text::at(text, at), b'"' | b'\'' | b'`') || text::starts_with(text, at, "“".as_bytes())
}

fn word_end(text: &[u8], from: usize, limit: usize) -> usize {
    let mut end = from;
    while end < limit
        && (text::is(text[end], ALNUM)
            || text[end] >= 0x80
            || matches!(text[end], b'-' | b'_' | b'.' | b'\''))
    {
        end += 1;
    }
    end
}

/// "use … as the password", "use … for the password", "… is the password".
fn is_joint(lead: &[u8]) -> bool {
    lead.ends_with(b" as") || lead.ends_with(b" is") || lead.ends_with(b" for")
}

fn is_one_of(word: &[u8], words: &[&[u8]]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The word at `noun` may end "use … as the password". Returns true when the value before was taken.
pub(crate) fn before(scan: &mut Scan<'_>, noun: usize) -> bool {
    let text = scan.text;
    if text::before(text, noun) != b' ' {
        return false;
    }
    let start = text::line_start(text, noun);
    let mut lead = text[start..noun].trim_ascii_end();
    // "as the new root password"
    for _ in 0..3 {
        if is_joint(lead) {
            break;
        }
        let Some(blank) = memchr::memrchr(b' ', lead) else { return false };
        if lead.len() - blank > 10 {
            return false;
        }
        lead = &lead[..blank];
    }
    if !is_joint(lead) {
        return false;
    }
    let joint = memchr::memrchr(b' ', lead).unwrap_or(0);
    let at = start + joint;
    // "as the password column" speaks of something else.
    let end = text::run_end(text, noun, ALPHA, 24);
    let known =
        [&b"password"[..], b"passphrase", b"passwd", b"passcode", b"pass", b"token", b"key", b"secret"];
    let next = text::at(text, end);
    let ends = next == 0
        || matches!(next, b'.' | b',' | b';' | b'\n' | b'\r' | b')' | b'!' | b'?' | b'"' | b'\\')
        || [&b" for"[..], b" to", b" on", b" in", b" of", b" when", b" and", b" please", b" here"]
            .iter()
            .any(|word| text::starts_with(text, end, word));
    if !ends || !is_one_of(&text[noun..end], &known) {
        return false;
    }
    let line = start;
    let lead = &text[line..at];
    let Some(&last) = lead.last() else { return false };
    let (start, end, quoted) = if matches!(last, b'"' | b'\'' | b'`') {
        let inside = &lead[..lead.len() - 1];
        let Some(open) = memchr::memrchr(last, inside) else { return false };
        (line + open + 1, line + inside.len(), true)
    } else {
        let word = memchr::memrchr3(b' ', b'\t', b'"', lead).map_or(0, |found| found + 1);
        (line + word, at, false)
    };
    let opaque = !text::starts_with_folded(text, noun, b"pass");
    let value = &text[start..end.max(start)];
    let believed = if opaque { judge::is_opaque_cell(value) } else { words::is_told_password(value, quoted) };
    if !believed {
        return false;
    }
    scan.hits.push(Hit::new(start, end, &RULES[0]));
    true
}

/// `at` is at a word for credentials: `credentials: me / …`, `login: me:…`, `creds for x: me / …`.
pub(crate) fn credentials(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let resume = text::run_end(text, at, ALPHA, 24);
    if !text::begins_token(text, at) {
        return resume;
    }
    let stop = text::line_end(text, resume, 160);
    let line = &text[resume..stop];
    let mut from = resume;
    // The colon, the dash or the verb after which the pair stands.
    let Some(joint) = line
        .iter()
        .enumerate()
        .position(|(index, &b)| {
            matches!(b, b':' | b'=' | b'>') && matches!(text::at(line, index + 1), b' ' | b'\t')
                || b == b' ' && line[index..].starts_with(b" are ")
                || b == b' ' && line[index..].starts_with(b" is ")
                || b == b' ' && line[index..].starts_with(b" with ")
        })
        .filter(|&joint| joint <= LONGEST_SENTENCE)
    else {
        return resume;
    };
    // "credentials for the box: …", not a sentence that goes on.
    let between = line[..joint].trim_ascii();
    let first = between.split(|&b| b == b' ').next().unwrap_or_default();
    if !between.is_empty()
        && !is_one_of(first, &[b"for", b"to", b"on", b"of", b"at", b"in", b"from", b"here", b"as"])
        || memchr::memmem::find(between, b". ").is_some()
    {
        return resume;
    }
    let verb = if text::is(text::at(line, joint + 1), ALPHA) {
        word_end(line, joint + 1, line.len())
    } else {
        joint + 1
    };
    from += verb;
    from = text::skip_blank(text, from, 4);
    let user_end = word_end_of_user(text, from, stop);
    if user_end == from {
        return resume;
    }
    let mut next = text::skip_blank(text, user_end, 3);
    let spaced = next > user_end;
    match text::at(text, next) {
        b'/' => next += 1,
        b':' if !spaced => next += 1,
        _ => return resume,
    }
    if spaced != matches!(text::at(text, next), b' ' | b'\t') {
        return resume;
    }
    next = text::skip_blank(text, next, 3);
    let Some(found) = value::read(text, next, Ending::Blank).filter(|found| found.end <= stop) else {
        return resume;
    };
    let mut end = found.end;
    if !found.quoted && matches!(text[end - 1], b'.' | b',') {
        end -= 1;
    }
    let bytes = &text[found.start..end];
    let user = &text[from..user_end];
    if is_one_of(user, &[b"arn", b"http", b"https", b"file", b"urn", b"ssh"]) {
        return resume;
    }
    // `login: name / name` is a path or a choice unless one of them is no word.
    let odd = bytes.iter().filter(|b| text::is(**b, text::DIGIT)).count() >= 2
        || bytes.iter().any(u8::is_ascii_punctuation);
    let believed = (odd || judge::is_opaque_cell(bytes)) && words::is_told_password(bytes, found.quoted)
        || spaced && bytes.len() >= 8 && end == stop && bytes.iter().all(|&b| text::is(b, ALPHA));
    if !believed || user.eq_ignore_ascii_case(bytes) || holes::is_placeholder(bytes) {
        return resume;
    }
    scan.hits.push(Hit::new(found.start, end, &RULES[1]));
    end
}

fn word_end_of_user(text: &[u8], from: usize, stop: usize) -> usize {
    let mut end = from;
    while end < stop
        && (text::is(text[end], ALNUM) || matches!(text[end], b'_' | b'-' | b'.' | b'@' | b'\\' | b'`'))
    {
        end += 1;
    }
    end
}

/// Names of credentials in other scripts and with letters beyond ASCII. The filter folds letters of the Latin
/// alphabet only, so texts that hold others are searched for these by themselves.
#[rustfmt::skip]
const FOREIGN: &[(&str, Strength)] = &[
    ("пароль", Strength::Password), ("Пароль", Strength::Password), ("ПАРОЛЬ", Strength::Password), ("пароля", Strength::Password), ("паролем", Strength::Password), ("пароли", Strength::Password),
    ("パスワード", Strength::Password), ("パスフレーズ", Strength::Password), ("暗証番号", Strength::Password), ("合言葉", Strength::Password),
    ("密码", Strength::Password), ("密碼", Strength::Password), ("口令", Strength::Password), ("비밀번호", Strength::Password), ("패스워드", Strength::Password), ("암호", Strength::Password),
    ("hasło", Strength::Password), ("hasła", Strength::Password), ("hasłem", Strength::Password), ("סיסמה", Strength::Password), ("şifre", Strength::Password), ("Şifre", Strength::Password), ("lösenord", Strength::Password),
    ("jelszó", Strength::Password), ("κωδικός", Strength::Password), ("κωδικο", Strength::Password), ("mật khẩu", Strength::Password), ("كلمة المرور", Strength::Password), ("كلمة السر", Strength::Password), ("पासवर्ड", Strength::Password),
    ("รหัสผ่าน", Strength::Password), ("пароль:", Strength::Password), ("parolă", Strength::Password), ("contraseña", Strength::Password), ("código", Strength::Opaque),
    ("ключ", Strength::Opaque), ("Ключ", Strength::Opaque), ("токен", Strength::Opaque), ("Токен", Strength::Opaque), ("секрет", Strength::Opaque), ("Секрет", Strength::Opaque),
    ("キー", Strength::Opaque), ("トークン", Strength::Opaque), ("シークレット", Strength::Opaque), ("秘密鍵", Strength::Opaque), ("鍵", Strength::Opaque),
    ("密钥", Strength::Opaque), ("密鑰", Strength::Opaque), ("令牌", Strength::Opaque), ("金鑰", Strength::Opaque), ("凭证", Strength::Opaque), ("키", Strength::Opaque), ("토큰", Strength::Opaque), ("시크릿", Strength::Opaque),
    ("schlüssel", Strength::Opaque), ("clé", Strength::Opaque), ("clef secrète", Strength::Opaque), ("κλειδί", Strength::Opaque), ("מפתח", Strength::Opaque), ("مفتاح", Strength::Opaque), ("khóa", Strength::Opaque), ("klíč", Strength::Opaque), ("kľúč", Strength::Opaque), ("nøgle", Strength::Opaque), ("nøkkel", Strength::Opaque),
];

/// Between such a name and its value: signs, verbs, and what says whose it is.
#[rustfmt::skip]
const FOREIGN_JOINTS: &[&str] = &[
    "は", "：", ":", "是", "為", "为", "=", "—", "–", "это", "to ", "는", "은", "가", "이", "är ", "est ", "ist ", "es ", "è ", "é ", "lautet ", "jest ", "API", "api", "が", "を", "です", "هو", "هي", "είναι", "là ", "je ", "er ",
    "для", "от", "now", "«", "„", "“", "\"", "'", "`", "-", " ",
];

pub(crate) fn foreign(scan: &mut Scan<'_>) {
    static LEADS: OnceLock<[Vec<&(&str, Strength)>; 256]> = OnceLock::new();
    /// Name, joints and blanks before a value.
    const MOST_JOINTS: usize = 8;
    let text = scan.text;
    if text.is_ascii() {
        return;
    }
    // Searched from the first letter that is no ASCII: texts have few of those, and the letters before are compared.
    let leads = LEADS.get_or_init(|| {
        std::array::from_fn(|byte| {
            FOREIGN.iter().filter(|(name, _)| name.as_bytes()[ascii_lead(name)] as usize == byte).collect()
        })
    });
    let mut next = 0;
    while let Some(at) = beyond_ascii(text, next) {
        next = at + 1;
        let longest = leads[text[at] as usize]
            .iter()
            .filter(|(name, _)| {
                let lead = ascii_lead(name);
                text::starts_with(text, at, &name.as_bytes()[lead..])
                    && at >= lead
                    && text[at - lead..at].eq_ignore_ascii_case(&name.as_bytes()[..lead])
            })
            .max_by_key(|(name, _)| name.len());
        let Some(&&(name, strength)) = longest else { continue };
        let start = at - ascii_lead(name);
        if start < at && text::is(text::before(text, start), ALPHA) && strength != Strength::Opaque {
            continue;
        }
        next = at + name.len() - ascii_lead(name);
        // Endings of cases: паролем, ключа.
        let name_end = next;
        let mut from = name_end;
        while from < name_end + 12
            && text::at(text, from) >= 0x80
            && matches!(text::at(text, from), 0xc3 | 0xd0 | 0xd1 | 0x80..=0xbf)
        {
            from += 1;
        }
        let mut joined = false;
        for _ in 0..MOST_JOINTS {
            let Some(joint) =
                FOREIGN_JOINTS.iter().find(|joint| text::starts_with(text, from, joint.as_bytes()))
            else {
                break;
            };
            from += joint.len();
            joined = true;
        }
        // A word or two that say whose it is: "пароль от базы: …".
        if joined && text::at(text, from) >= 0x80 {
            let stop = text::line_end(text, from, 64);
            if let Some(colon) = text[from..stop].windows(2).position(|pair| pair == b": ") {
                from += colon + 2;
            }
        }
        if !joined {
            continue;
        }
        let Some(value) = value::read(text, from, Ending::Blank) else { continue };
        let end = text[value.start..value.end]
            .iter()
            .position(|&b| b >= 0x80)
            .map_or(value.end, |stop| value.start + stop);
        let end = value.start + without_sentence_end(&text[value.start..end], value.quoted).len();
        let bytes = &text[value.start..end];
        let believed = match strength {
            Strength::Password => words::is_told_password(bytes, value.quoted),
            _ => judge::is_opaque_cell(bytes) || judge::is_disorderly(bytes) && !holes::is_placeholder(bytes),
        };
        if believed {
            scan.hits.push(Hit::new(value.start, end, &RULES[0]));
        }
    }
}

/// The next byte at or behind `from` that is no ASCII, eight at a time.
fn beyond_ascii(text: &[u8], from: usize) -> Option<usize> {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let rest = text.get(from..)?;
    let mut at = 0;
    for eight in rest.chunks_exact(8) {
        let Ok(eight) = eight.try_into() else { break };
        let high = u64::from_le_bytes(eight) & HIGH;
        if high != 0 {
            return Some(from + at + high.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    rest[at..].iter().position(|&byte| byte >= 0x80).map(|found| from + at + found)
}

fn ascii_lead(name: &str) -> usize {
    name.bytes().take_while(u8::is_ascii).count()
}

/// A value in a sentence without the stop or comma behind it.
fn without_sentence_end(word: &[u8], quoted: bool) -> &[u8] {
    if quoted {
        return word;
    }
    let end = word.iter().rposition(|&b| !matches!(b, b'.' | b',' | b';')).map_or(0, |last| last + 1);
    &word[..end]
}
