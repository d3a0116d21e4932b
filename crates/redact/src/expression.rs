//! Program text told from passwords: an expression is read to its end by its grammar, and its names must be
//! names. Signs alone are no evidence: generators use all of them.

use crate::likeness::Shape;
use crate::text::{self, ALNUM, ALPHA, DIGIT};

/// Brackets in brackets; deeper is not read.
const DEEPEST: u8 = 6;

/// True when an unquoted value reads as program text: a call, a path of names, a type, a number.
pub(crate) fn is_code(value: &[u8]) -> bool {
    if value.is_empty() {
        return false;
    }
    if value.len() > 2
        && value[0] == b'0'
        && matches!(value[1], b'x' | b'X' | b'b' | b'o')
        && text::run_end(value, 2, text::HEX, 40).max(3) >= value.len().min(40).saturating_sub(6)
        && value.len() <= 24
    {
        // 0x8031005C, 0xFFu32
        return true;
    }
    let number = value.len() < 6
        && value.iter().all(|&b| {
            text::is(b, DIGIT) || matches!(b, b'.' | b'-' | b':' | b'+' | b'x' | b'_' | b'e' | b'%')
        });
    number || is_expression(value)
}

/// The whole value is an expression with something in it that only programs have.
pub(crate) fn is_expression(value: &[u8]) -> bool {
    let mut reader = Reader { text: value, at: 0, signs: 0, depth: 0 };
    reader.operands() && reader.at == value.len() && reader.signs > 0 && !is_made_of_words(value)
}

/// Blue.Whale77: capitals and a number are how people make words into a password.
fn is_made_of_words(value: &[u8]) -> bool {
    let shape = Shape::of(value);
    shape.joiners == 1
        && shape.upper == 2
        && shape.digits >= 2
        && shape.symbols == 0
        && text::is(value[value.len() - 1], DIGIT)
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    /// Signs of a program that were read: calls, joints of paths, operators.
    signs: usize,
    depth: u8,
}

impl Reader<'_> {
    fn peek(&self) -> u8 {
        text::at(self.text, self.at)
    }

    fn ended(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Operands and what joins them, up to a closing bracket or the end.
    fn operands(&mut self) -> bool {
        loop {
            let prefixes = self.prefixes();
            if self.ended() {
                return self.signs > 0;
            }
            if matches!(self.peek(), b')' | b']' | b'}' | b'>') {
                return true;
            }
            if !self.operand() {
                return false;
            }
            self.signs += prefixes;
            if !self.joint() {
                return true;
            }
        }
    }

    /// `&`, `*`, `!`, `-`, `...`: what stands before an operand. Returns how many.
    fn prefixes(&mut self) -> usize {
        let start = self.at;
        while self.at < start + 4
            && matches!(self.peek(), b'&' | b'*' | b'!' | b'~' | b'-' | b'^' | b'\\' | b'?' | b'/' | b' ')
            || text::starts_with(self.text, self.at, b"...")
        {
            self.at += if self.peek() == b'.' { 3 } else { 1 };
        }
        self.at - start
    }

    fn operand(&mut self) -> bool {
        let byte = self.peek();
        match byte {
            b'(' | b'[' | b'{' => {
                if !self.group() {
                    return false;
                }
                // []byte(x), (Type)x
                if byte != b'{' && text::is(self.peek(), ALPHA) && !self.name() {
                    return false;
                }
            }
            b'"' | b'\'' | b'`' => {
                if !self.string(byte) {
                    return false;
                }
            }
            b if text::is(b, DIGIT) => {
                let end = text::run_end(self.text, self.at, DIGIT, 20);
                // 12px, 0u8, 1L
                let suffix = text::run_end(self.text, end, text::LOWER | DIGIT, 4);
                if suffix - end > 3 || text::is(text::at(self.text, suffix), ALNUM) {
                    return false;
                }
                self.at = suffix;
            }
            b if text::is(b, ALPHA) || matches!(b, b'_' | b'$' | b'@' | b'#' | b':') => {
                // Symbols of other languages: @x, :x, #x.
                if matches!(b, b'@' | b'#' | b':') {
                    self.at += 1;
                    self.signs += 1;
                }
                let start = self.at;
                if !self.name() {
                    return false;
                }
                // r"…", b'…'
                if self.at == start + 1 && matches!(self.peek(), b'"' | b'\'') && !self.string(self.peek()) {
                    return false;
                }
            }
            _ => return false,
        }
        self.postfixes()
    }

    fn postfixes(&mut self) -> bool {
        loop {
            match self.peek() {
                // An index or a call cut off by a quote or a blank still is one.
                b'(' | b'[' => {
                    let index = self.peek() == b'[';
                    if !self.group() {
                        return false;
                    }
                    self.signs += 1;
                    // map[string]int
                    if index && text::is(self.peek(), ALPHA) && !self.name() {
                        return false;
                    }
                }
                b'{' => {
                    if !self.group() {
                        return false;
                    }
                    self.signs += 1;
                }
                b'!' if matches!(text::at(self.text, self.at + 1), b'(' | b'[' | b'{' | b'.') => {
                    self.at += 1;
                    self.signs += 1;
                }
                b'!' | b'?' if self.at + 1 == self.text.len() => {
                    self.at += 1;
                }
                b'<' if text::is(text::at(self.text, self.at + 1), ALPHA)
                    || matches!(text::at(self.text, self.at + 1), b'&' | b'\'' | b'[' | b'(' | b'_') =>
                {
                    // A type and its arguments.
                    if !self.group() {
                        return false;
                    }
                    self.signs += 1;
                }
                // A range.
                b'.' if text::starts_with(self.text, self.at, b"..=") => {
                    self.at += 3;
                    self.signs += 1;
                    if !self.operand() {
                        return false;
                    }
                }
                b'.' if text::starts_with(self.text, self.at, b"...") => {
                    self.at += 3;
                    self.signs += 1;
                }
                b'.' => {
                    self.at += 1;
                    if self.ended() {
                        return true;
                    }
                    if !self.name() {
                        return false;
                    }
                    self.signs += 1;
                }
                b'?' if text::at(self.text, self.at + 1) == b'.' => self.at += 1,
                b':' if text::at(self.text, self.at + 1) == b':' => {
                    self.at += 2;
                    self.signs += 1;
                    if self.ended() || self.peek() == b'<' {
                        continue;
                    }
                    if !self.name() {
                        return false;
                    }
                }
                b'-' if text::at(self.text, self.at + 1) == b'>' => {
                    self.at += 2;
                    self.signs += 1;
                    if self.ended() {
                        return true;
                    }
                    if !self.name() {
                        return false;
                    }
                }
                _ => return true,
            }
        }
    }

    /// `+`, `||`, `??`, `? :`, `=>`, `,` and friends. False when nothing joins here.
    fn joint(&mut self) -> bool {
        let start = self.at;
        while self.at < start + 4
            && matches!(
                self.peek(),
                b'+' | b'|' | b'&' | b'=' | b'?' | b'%' | b'*' | b'/' | b',' | b';' | b' ' | b':' | b'-'
            )
        {
            self.at += 1;
        }
        let joint = &self.text[start..self.at];
        match joint {
            b"" => false,
            // A single sign between two words is no program yet; two of a kind, or an arrow, is.
            b"||" | b"&&" | b"??" | b"?:" | b"==" | b"=>" | b"|" | b" | " | b" || " | b" && " => {
                self.signs += 1;
                true
            }
            b"+" | b" + " => !self.ended(),
            _ if self.depth > 0 => true,
            // What ends a statement or an argument.
            b"," | b";" => self.ended(),
            _ => false,
        }
    }

    /// A bracket and what it holds, closed or cut off at the end of the value.
    fn group(&mut self) -> bool {
        let close = match self.peek() {
            b'(' => b')',
            b'[' => b']',
            b'<' => b'>',
            _ => b'}',
        };
        self.depth += 1;
        self.at += 1;
        let open = self.at;
        let outer = std::mem::take(&mut self.signs);
        let read = self.depth <= DEEPEST && (self.ended() || self.peek() == close || self.signs_aside());
        self.signs += outer;
        self.depth -= 1;
        if !read {
            return false;
        }
        if self.ended() {
            // Cut off at a quote or a blank: nothing follows yet, or what could follow.
            let inside = &self.text[open..];
            return matches!(inside.last(), None | Some(b',' | b'(' | b'[' | b'{' | b')' | b']'))
                || inside.len() <= 5
                    && text::is(inside[0], DIGIT)
                    && inside.iter().all(|&b| text::is(b, DIGIT | text::LOWER))
                || matches!(inside, b"r" | b"b" | b"f" | b"u")
                || memchr::memchr3(b'"', b'\'', b'`', inside).is_some()
                || inside.iter().any(|b| matches!(b, b'(' | b'['))
                || inside.len() >= 2 && inside.split(|&b| b == b'.').all(is_identifier);
        }
        if self.peek() != close {
            return false;
        }
        self.at += 1;
        true
    }

    fn signs_aside(&mut self) -> bool {
        self.signs = 1;
        self.operands()
    }

    /// A literal, closed or cut off.
    fn string(&mut self, quote: u8) -> bool {
        let body = &self.text[self.at + 1..];
        // Behind an operand no literal follows, and a quote inside a password seldom closes.
        let Some(close) = memchr::memchr(quote, body) else {
            // A lifetime, or cut off.
            self.at = self.text.len();
            return self.depth > 0;
        };
        self.at += close + 2;
        true
    }

    fn name(&mut self) -> bool {
        let end = self.at
            + self.text[self.at..]
                .iter()
                .take_while(|&&b| text::is(b, ALNUM) || matches!(b, b'_' | b'$'))
                .count();
        let name = &self.text[self.at..end];
        self.at = end;
        is_identifier(name)
    }
}

/// Written as programs write names: words in one of the usual cases, a number at their end.
pub(crate) fn is_identifier(name: &[u8]) -> bool {
    let Some(&first) = name.first() else { return false };
    if text::is(first, DIGIT) {
        return false;
    }
    let shape = Shape::of(name);
    if shape.is_opaque() || shape.flips > 4 {
        return false;
    }
    if shape.upper == 0 || shape.lower == 0 {
        // snake_case, CONSTANT_2, utf8
        return shape.flips <= 2
            && (name.len() <= 4 || shape.surprise < 5.6 || shape.flips <= 1 && name.len() <= 10)
            || shape.is_wordy();
    }
    let capitals = shape.upper;
    // camelCase has more small letters than humps; chance has as many.
    shape.flips <= 2
        && shape.lower >= capitals
        && (name.len() >= 4 || shape.digits == 0)
        && shape.surprise < 5.3
        || shape.is_wordy() && shape.lower > capitals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_no_secret() {
        for code in [
            "get_password()",
            "self.password",
            "config.db.password",
            "args[0]",
            "Option<String>",
            "std::env::var",
            "&password",
            "os.environ[",
            "os.environ[\"X\"]",
            "config.get(\"x\"",
            "getPassword(user,",
            "password!(",
            "$this->password",
            "user?.password",
            "a.b.c()",
            "Vec<Option<u8>>",
            "foo::<Bar>()",
            "req.body.password,",
            "str|None",
            "password||fallback",
            "[]byte(x)",
            "new(String)",
            "*string",
            "...args",
            "props.password!",
            "fn(user)",
            "rpassword::prompt_password(\"Password:",
            "Optional[str]",
            "map[string]string",
            "@password",
            "Zeroizing::new([0u8",
            "crypto.randomBytes(16).toString(\"hex\")",
            "{user.password}",
        ] {
            assert!(is_code(code.as_bytes()), "{code}");
        }
    }

    #[test]
    fn passwords_with_the_signs_of_programs_are_no_code() {
        for password in [
            "Kx7f(Qm9vTz2",
            "Kx7f.Qm9vTz2",
            "aB3[xQ9]vT!k2",
            "Qm9v{Tz2Kx",
            "aK3.xQ9vT",
            "Kx7fW&Qm9vTz2",
            "xQ9->Tz2k",
            "Q(9)x[7",
            "Kx::7fQm",
            "Tz2!Kx7f",
            "9a(B)cD",
            "Summer2024!",
            "hunter2",
            "[Kx7fQm9v",
            "(Kx7fQm9v",
            "Blue#Horse7",
            "tr0ub4dor&3",
            "P@ss(word)1",
        ] {
            assert!(!is_code(password.as_bytes()), "{password}");
        }
    }
}
