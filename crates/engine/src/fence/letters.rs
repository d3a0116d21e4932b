//! Letters as an eye or a model takes them: what is invisible, and which sign passes for which letter. A table of
//! likenesses, not of meanings; it knows the letters that markup is written in and nothing else.

/// One sign of a text as it would be read, and where the next one begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sign {
    /// An ASCII sign in its plainest form, or 0 for what resembles none.
    pub plain: u8,
    /// White space, or a mark that only decorates the letter before it.
    pub gap: bool,
    pub capital: bool,
    /// Written in plain ASCII: no disguise.
    pub honest: bool,
    pub next: usize,
}

/// The longest entity that is looked at: `&#x0001F600;`, `&NewLine;`.
const MAX_ENTITY: usize = 12;
const ENTITIES: &[(&str, char)] = &[
    ("lt", '<'),
    ("gt", '>'),
    ("sol", '/'),
    ("bsol", '\\'),
    ("lowbar", '_'),
    ("hyphen", '-'),
    ("dash", '-'),
    ("minus", '-'),
    ("ndash", '-'),
    ("mdash", '-'),
    ("vert", '|'),
    ("verbar", '|'),
    ("lbrack", '['),
    ("lsqb", '['),
    ("rbrack", ']'),
    ("rsqb", ']'),
    ("colon", ':'),
    ("amp", '&'),
    ("tab", '\t'),
    ("newline", '\n'),
    ("nbsp", ' '),
    ("shy", '\u{ad}'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
];

/// Characters nobody sees, and those that turn what is seen around.
pub(super) fn is_invisible(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
thread_local! {
    /// Signs looked at: what the work costs, whatever the machine.
    pub(super) static READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The sign that begins at a byte. The text must hold one there.
pub(super) fn sign(text: &str, at: usize) -> Sign {
    #[cfg(test)]
    READ.with(|read| read.set(read.get() + 1));
    let byte = text.as_bytes()[at];
    if byte == b'&'
        && let Some((c, next)) = entity(text, at)
    {
        return Sign { honest: false, next, ..of(c, next) };
    }
    if byte.is_ascii() {
        return of(byte as char, at + 1);
    }
    let c = text[at..].chars().next().unwrap_or('\u{fffd}');
    of(c, at + c.len_utf8())
}

fn of(c: char, next: usize) -> Sign {
    let decorates = matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}');
    let gap = c.is_whitespace() || decorates || is_invisible(c);
    Sign { plain: if gap { 0 } else { plain(c) }, gap, capital: c.is_uppercase(), honest: c.is_ascii(), next }
}

/// `&lt;`, `&#60;`, `&#x3c;`, also without the semicolon, as browsers read numbers.
fn entity(text: &str, at: usize) -> Option<(char, usize)> {
    let end = text.floor_char_boundary((at + MAX_ENTITY).min(text.len()));
    let body = text.get(at + 1..end)?;
    if let Some(number) = body.strip_prefix('#') {
        let (digits, base, skipped) = match number.strip_prefix(['x', 'X']) {
            Some(hex) => (hex, 16, 3),
            None => (number, 10, 2),
        };
        let length = digits.find(|c: char| !c.is_digit(base)).unwrap_or(digits.len());
        let c = u32::from_str_radix(&digits[..length], base).ok().and_then(char::from_u32)?;
        let after = at + skipped + length;
        return Some((c, after + usize::from(text[after..].starts_with(';'))));
    }
    let (name, _) = body.split_once(';')?;
    let (_, c) = ENTITIES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some((*c, at + 1 + name.len() + 1))
}

/// The ASCII sign a character passes for, in small letters; those that pass for each other are one: `l`, `I`, `1`.
pub(super) fn plain(c: char) -> u8 {
    alike(if c.is_ascii() { c as u8 } else { resembles(c) })
}

/// One sign for all that are mistaken for each other.
pub(super) const fn alike(byte: u8) -> u8 {
    match byte.to_ascii_lowercase() {
        b'i' | b'1' | b'|' => b'l',
        b'0' => b'o',
        b'3' => b'e',
        b'5' | b'$' => b's',
        b'_' => b'-',
        byte => byte,
    }
}

fn resembles(c: char) -> u8 {
    let code = u32::from(c);
    let letter = |from: u32| b'a' + u8::try_from((code - from) % 26).unwrap_or(0);
    match c {
        // Whole alphabets in other clothes: full width, mathematical, circled, in brackets, of flags.
        '\u{ff01}'..='\u{ff5e}' => u8::try_from(code - 0xff01 + 0x21).unwrap_or(0),
        '\u{1d400}'..='\u{1d6a3}' => letter(0x1d400),
        '\u{24b6}'..='\u{24e9}' => letter(0x24b6),
        '\u{249c}'..='\u{24b5}' => letter(0x249c),
        '\u{1f130}'..='\u{1f149}' => letter(0x1f130),
        '\u{1f150}'..='\u{1f169}' => letter(0x1f150),
        '\u{1f170}'..='\u{1f189}' => letter(0x1f170),
        '\u{1f1e6}'..='\u{1f1ff}' => letter(0x1f1e6),
        'а' | 'А' | 'α' | 'Α' | 'ɑ' | 'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ª' | 'ᴀ' => {
            b'a'
        }
        'в' | 'В' | 'Β' | 'ʙ' => b'b',
        'с' | 'С' | 'ϲ' | 'ç' | 'ⅽ' | 'ᴄ' => b'c',
        'ԁ' | 'ⅾ' | 'đ' | 'ᴅ' => b'd',
        'е' | 'Е' | 'ε' | 'Ε' | 'ё' | 'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ė' | 'ę' | '℮' | 'ℯ' | 'ᴇ' => {
            b'e'
        }
        'ƒ' | 'ſ' => b'f',
        'ɡ' | 'ց' | 'ğ' | 'ℊ' | 'ɢ' => b'g',
        'һ' | 'н' | 'Н' | 'Η' | 'ħ' | 'ℎ' | 'ℋ' | 'ℌ' | 'ʜ' | 'ի' => b'h',
        'і' | 'І' | 'ι' | 'Ι' | 'ı' | 'ì' | 'í' | 'î' | 'ï' | 'ī' | 'ⅰ' | 'ℹ' | 'ɪ' | 'ℐ' | 'ℑ' => {
            b'i'
        }
        'ј' | 'Ј' => b'j',
        'к' | 'К' | 'κ' | 'Κ' => b'k',
        'ӏ' | 'Ӏ' | 'ⅼ' | 'ł' | 'ǀ' | 'ℓ' | 'ʟ' | '∣' | '│' | '¦' | 'ו' => b'l',
        'м' | 'М' | 'Μ' | 'ⅿ' | 'ᴍ' | 'ℳ' => b'm',
        'п' | 'η' | 'ո' | 'ñ' | 'ń' | 'ɴ' | 'Ν' | 'ℕ' => b'n',
        'о' | 'О' | 'ο' | 'Ο' | 'օ' | 'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ō' | 'º' | 'ℴ' | 'ᴏ' => {
            b'o'
        }
        'р' | 'Р' | 'ρ' | 'Ρ' => b'p',
        'г' | 'ʀ' | 'ŕ' | 'ř' | 'ℛ' | 'ℜ' | 'ℝ' => b'r',
        'ѕ' | 'Ѕ' | 'ś' | 'š' | 'ş' | 'ꜱ' => b's',
        'т' | 'Т' | 'τ' | 'Τ' | 'ţ' | 'ť' | 'ᴛ' => b't',
        'υ' | 'ս' | 'ù' | 'ú' | 'û' | 'ü' | 'ū' | 'ᴜ' => b'u',
        'ν' | 'ѵ' | 'ᴠ' => b'v',
        'х' | 'Х' | 'Χ' | 'ⅹ' => b'x',
        'у' | 'У' | 'γ' | 'Υ' | 'ý' | 'ÿ' | 'ʏ' => b'y',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' | '﹘' | '﹣' | '⁃' | '˗' | 'ー' => b'-',
        '‹' | '\u{2329}' | '\u{3008}' | '⟨' | '﹤' | '˂' | '≺' | '❮' | '❬' | '᚜' | '«' | '《' => {
            b'<'
        }
        '›' | '\u{232a}' | '\u{3009}' | '⟩' | '﹥' | '˃' | '≻' | '❯' | '❭' | '᚛' | '»' | '》' => {
            b'>'
        }
        '⁄' | '∕' | '⧸' | '╱' | '⟋' => b'/',
        '﹇' | '【' | '〔' | '⟦' => b'[',
        '﹈' | '】' | '〕' | '⟧' => b']',
        '∶' | '꞉' | 'ː' | '˸' | '﹕' => b':',
        _ => 0,
    }
}
