//! What `$` and backticks become: variables, substitutions, calculations, `$'…'`.

use std::ops::Range;
use std::sync::Arc;

use super::reader::{Around, End, Reader};
use super::words::{Builder, MAX_AHEAD, Quoting, cost, is_name_byte, join};
use super::{Part, Word};

impl Reader {
    pub(super) fn dollar(&mut self, builder: &mut Builder, quoting: Quoting) {
        match self.peek_at(1) {
            Some(b'\'') if quoting != Quoting::Double => {
                let text = self.escaped();
                builder.text(&text);
            }
            Some(b'"') if quoting != Quoting::Double => {
                self.source.at += 1;
                self.double(builder);
            }
            Some(b'(') => {
                self.source.at += 1;
                if self.starts_with("((") && self.skip_calculation() {
                    return builder.push(&Part::Given);
                }
                self.source.at += 1;
                let range = self.substitution(self.around.clone());
                self.output(builder, range, quoting);
            }
            Some(b'{') => {
                self.source.at += 2;
                self.deeper(|reader| reader.parameter(builder, quoting));
            }
            Some(b'[') if self.closes_before_end(b']') => {
                while self.peek().is_some_and(|byte| byte != b']') {
                    self.source.at += 1;
                }
                self.source.at += 1;
                builder.push(&Part::Given);
            }
            Some(byte) if is_name_byte(byte, true) => {
                let begin = self.source.at + 1;
                self.source.at = begin;
                while self.peek().is_some_and(|byte| is_name_byte(byte, false)) {
                    self.source.at += 1;
                }
                self.source.bare_name_end = self.source.at;
                let name = self.source.text[begin..self.source.at].to_owned();
                self.variable(builder, &name, quoting);
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?-$!".contains(&byte) => {
                self.source.at += 2;
                self.variable(builder, &char::from(byte).to_string(), quoting);
            }
            _ => {
                self.source.at += 1;
                builder.text("$");
            }
        }
    }

    /// `$( )` after its bracket, up to behind the other one: a process of its own.
    pub(super) fn substitution(&mut self, around: Around) -> Range<usize> {
        let from = self.script.commands.len();
        let outer = std::mem::replace(&mut self.around, around);
        let mark = self.state.mark();
        self.list(&End::Parenthesis);
        self.state.back(mark);
        self.around = outer;
        from..self.script.commands.len()
    }

    pub(super) fn backtick(&mut self, builder: &mut Builder, quoting: Quoting) {
        self.source.at += 1;
        let mut text = String::new();
        loop {
            match self.peek() {
                None => {
                    self.unreadable();
                    break;
                }
                Some(b'`') => {
                    self.source.at += 1;
                    break;
                }
                Some(b'\\') => {
                    self.source.at += 1;
                    let letter = self.letter();
                    if !matches!(letter.as_str(), "`" | "\\" | "$") {
                        text.push('\\');
                    }
                    text.push_str(&letter);
                }
                _ => {
                    let begin = self.source.at;
                    while self.peek().is_some_and(|byte| byte != b'`' && byte != b'\\') {
                        self.source.at += 1;
                    }
                    text.push_str(&self.source.text[begin..self.source.at]);
                }
            }
        }
        let from = self.script.commands.len();
        let mark = self.state.mark();
        let holes = Arc::clone(&self.source.holes);
        self.nested(text.into(), holes, |reader| reader.list(&End::Text));
        self.state.back(mark);
        self.output(builder, from..self.script.commands.len(), quoting);
    }

    /// What a substitution says, if its text tells.
    fn output(&mut self, builder: &mut Builder, range: Range<usize>, quoting: Quoting) {
        match self.said(range.clone()) {
            Some(word) => self.insert(builder, std::slice::from_ref(&word), quoting),
            None => builder.push(&Part::Output(range)),
        }
    }

    /// `${…}` behind its brace.
    fn parameter(&mut self, builder: &mut Builder, quoting: Quoting) {
        let measures = self.peek() == Some(b'#') && self.peek_at(1) != Some(b'}');
        let points = self.peek() == Some(b'!');
        self.source.at += usize::from(measures || points);
        let begin = self.source.at;
        if self.peek().is_some_and(|byte| b"@*#?-$!".contains(&byte)) {
            self.source.at += 1;
        } else {
            while self.peek().is_some_and(|byte| is_name_byte(byte, false)) {
                self.source.at += 1;
            }
        }
        let mut name = self.source.text[begin..self.source.at].to_owned();
        if self.peek() == Some(b'[') {
            while self.peek().is_some_and(|byte| byte != b']' && byte != b'}') {
                self.source.at += 1;
            }
            self.source.at += usize::from(self.peek() == Some(b']'));
        }
        if points {
            let target = self.state.variable(&name).and_then(|words| words.first()?.text());
            name = target.unwrap_or_default();
        }
        let operator_begin = self.source.at;
        while self.peek().is_some_and(|byte| b":-=+?".contains(&byte)) && self.source.at < operator_begin + 2
        {
            self.source.at += 1;
            if self.source.text.as_bytes()[self.source.at - 1] != b':' {
                break;
            }
        }
        let operator = self.source.text[operator_begin..self.source.at].trim_start_matches(':').to_owned();
        let is_plain = self.source.at == operator_begin && self.peek() == Some(b'}');
        let operand = self.operand();
        let value = self.state.variable(&name);
        match operator.as_str() {
            _ if measures => builder.push(&Part::Given),
            _ if is_plain => self.variable(builder, &name, quoting),
            "-" | "="
                if known(&name).is_some()
                    || value.as_deref().is_some_and(|words| words.iter().any(|word| !word.is_empty())) =>
            {
                self.variable(builder, &name, quoting);
            }
            "-" | "=" => {
                if operator == "=" {
                    self.state.set(&name, vec![operand.clone()]);
                }
                // `${X:-}/`: whoever runs it may not have set it.
                if operand.is_empty() && value.is_none() {
                    return builder.push(&Part::Variable { name, may_be_empty: true });
                }
                // Whoever runs it may have set it; the text shows one value.
                let mut words = vec![operand];
                if value.is_none() {
                    words.push(Word { parts: vec![Part::Variable { name, may_be_empty: false }] });
                }
                self.insert(builder, &words, quoting);
            }
            "+" => self.insert(builder, &[operand], quoting),
            // `${HOME%/}`: what it takes away changes no folder.
            "" if (value.is_some() || known(&name).is_some()) && operand.text().as_deref() == Some("%/") => {
                self.variable(builder, &name, quoting);
            }
            "?" => match value {
                _ if known(&name).is_some() => self.variable(builder, &name, quoting),
                Some(_) => self.variable(builder, &name, quoting),
                None => builder.push(&Part::Variable { name, may_be_empty: false }),
            },
            _ => builder.push(&Part::Variable { name, may_be_empty: value.is_none() }),
        }
    }

    /// The rest of `${…}`, up to behind its brace.
    fn operand(&mut self) -> Word {
        let mut builder = Builder::new();
        while let Some(byte) = self.peek() {
            match byte {
                b'}' => {
                    self.source.at += 1;
                    return join(builder.finish());
                }
                b'"' => self.double(&mut builder),
                b'\'' if self.closes_quote() => {
                    let text = self.single();
                    builder.text(&text);
                }
                b'~' if builder.is_at_start() => self.tilde(&mut builder),
                _ => self.in_quotes(&mut builder, b"}\"'\\$`"),
            }
        }
        self.unreadable();
        join(builder.finish())
    }

    /// In `"${x:-it's}"` the quote is a letter.
    fn closes_quote(&mut self) -> bool {
        let found = (1..MAX_AHEAD).map_while(|ahead| Some((ahead, self.peek_at(ahead)?)));
        let found = found.into_iter().find(|(_, byte)| matches!(byte, b'\'' | b'}'));
        self.pay(found.map_or(MAX_AHEAD, |(ahead, _)| ahead)) && found.is_some_and(|(_, byte)| byte == b'\'')
    }

    /// Over `(( … ))`; what is substituted within is read. False: it is no calculation.
    pub(super) fn skip_calculation(&mut self) -> bool {
        let begin = self.source.at;
        let (mut depth, mut ahead) = (0_usize, 0);
        let length = loop {
            match self.peek_at(ahead) {
                Some(b'(') => depth += 1,
                Some(b')') => depth -= 1,
                None => {
                    self.pay(ahead);
                    return false;
                }
                _ => {}
            }
            ahead += 1;
            if depth == 0 {
                break ahead;
            }
        };
        let is_calculation = self.source.text.as_bytes()[begin + length - 2] == b')';
        if !self.pay(length) || !is_calculation {
            return false;
        }
        let limit = self.source.limit;
        (self.source.at, self.source.limit) = (begin + 2, begin + length - 2);
        let mut inner = Builder::new();
        self.deeper(|reader| {
            while reader.peek().is_some() {
                reader.in_quotes(&mut inner, b"\\$`");
            }
        });
        (self.source.at, self.source.limit) = (begin + length, limit);
        true
    }

    /// `$'…'`.
    fn escaped(&mut self) -> String {
        self.source.at += 2;
        let mut bytes = Vec::new();
        loop {
            match self.peek() {
                None => {
                    self.unreadable();
                    break;
                }
                Some(b'\'') => {
                    self.source.at += 1;
                    break;
                }
                Some(b'\\') => {
                    self.source.at += 1;
                    self.escape(&mut bytes);
                }
                Some(byte) => {
                    self.source.at += 1;
                    bytes.push(byte);
                }
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) {
        let Some(byte) = self.peek() else { return };
        self.source.at += 1;
        let single = match byte {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'v' => 11,
            b'x' => return bytes.push(self.digits(16, 2) as u8),
            b'0'..=b'7' => {
                self.source.at -= 1;
                return bytes.push(self.digits(8, 3) as u8);
            }
            b'u' | b'U' => {
                let number = self.digits(16, if byte == b'u' { 4 } else { 8 });
                let letter = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
                return bytes.extend(letter.to_string().bytes());
            }
            b'c' => {
                let control = self.peek().unwrap_or(b'@') & 0x1F;
                self.source.at += usize::from(self.peek().is_some_and(|byte| byte.is_ascii()));
                control
            }
            b'\\' | b'\'' | b'"' | b'?' => byte,
            byte => {
                bytes.push(b'\\');
                byte
            }
        };
        bytes.push(single);
    }

    fn digits(&mut self, base: u32, most: usize) -> u32 {
        let mut number = 0_u32;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(base)) else { break };
            number = number.wrapping_mul(base).wrapping_add(digit);
            self.source.at += 1;
        }
        number
    }

    pub(super) fn variable(&mut self, builder: &mut Builder, name: &str, quoting: Quoting) {
        if let Some(words) = self.state.variable(name) {
            return self.insert(builder, &words, quoting);
        }
        let positional = self.state.positional();
        match (name, positional) {
            ("PWD", _) => {
                let folder =
                    self.state.folder().map_or_else(|| Word::literal("."), |folder| folder.as_ref().clone());
                self.insert(builder, &[folder], Quoting::Value);
            }
            ("@" | "*", Some(words)) => self.insert(builder, &words, quoting),
            (name, Some(words)) if name.parse::<usize>().is_ok_and(|at| at > 0) => {
                let at = name.parse::<usize>().unwrap_or(1) - 1;
                let word = words.get(at).cloned().unwrap_or_default();
                self.insert(builder, &[word], quoting);
            }
            (name, _) => match known(name) {
                Some(part) => self.insert(builder, &[Word { parts: vec![part] }], quoting),
                None => {
                    builder.push(&Part::Variable { name: name.to_owned(), may_be_empty: !always_set(name) });
                }
            },
        }
    }

    /// Puts a value where it stands: whole within quotes, else split at blanks and read for patterns.
    fn insert(&mut self, builder: &mut Builder, words: &[Word], quoting: Quoting) {
        match words {
            [] => {}
            [_] if !self.pay(cost(words) * builder.open.len()) => {}
            [word] if quoting == Quoting::None => unquoted(builder, word),
            [word] => {
                builder.is_begun = true;
                word.parts.iter().for_each(|part| builder.push(part));
            }
            words if quoting != Quoting::None => self.alternatives(builder, words),
            words => {
                if !self.pay(cost(words)) {
                    return;
                }
                let pieces = words.iter().flat_map(|word| {
                    let mut inner = Builder::new();
                    unquoted(&mut inner, word);
                    inner.finish()
                });
                let pieces: Vec<Word> = pieces.collect();
                self.alternatives(builder, &pieces);
            }
        }
    }
}

/// A value outside of quotes: its blanks part words.
fn unquoted(builder: &mut Builder, word: &Word) {
    word.parts.iter().for_each(|part| match part {
        Part::Text(text) => split(builder, text),
        part => builder.push(part),
    });
}

/// A value outside of quotes.
fn split(builder: &mut Builder, text: &str) {
    let mut rest = text;
    while let Some(first) = rest.bytes().next() {
        let (stop, part): (fn(u8) -> bool, _) = match first {
            b' ' | b'\t' | b'\n' => (|byte| !matches!(byte, b' ' | b'\t' | b'\n'), 0),
            b'*' | b'?' | b'[' => (|byte| !matches!(byte, b'*' | b'?' | b'['), 1),
            _ => (|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'*' | b'?' | b'['), 2),
        };
        let end = rest.bytes().position(stop).unwrap_or(rest.len());
        match part {
            0 => builder.split(),
            1 => builder.push(&Part::Glob(rest[..end].to_owned())),
            _ => builder.text(&rest[..end]),
        }
        rest = &rest[end..];
    }
}

/// Variables whose value is known without being set.
fn known(name: &str) -> Option<Part> {
    match name {
        "HOME" => Some(Part::Home("~".to_owned())),
        // What a program takes that finds it unset.
        "TMPDIR" => Some(Part::Text("/tmp".to_owned())),
        "IFS" => Some(Part::Text(" \t\n".to_owned())),
        _ => None,
    }
}

/// Set by every shell or login.
fn always_set(name: &str) -> bool {
    matches!(
        name,
        "USER" | "LOGNAME" | "SHELL" | "PATH" | "OLDPWD" | "UID" | "EUID" | "HOSTNAME" | "RANDOM" | "SECONDS"
    ) || matches!(
        name,
        "PPID" | "BASHPID" | "$" | "?" | "#" | "!" | "-" | "0" | "@" | "*" | "EPOCHSECONDS" | "LINENO"
    )
}
