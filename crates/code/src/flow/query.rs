//! Reads the text of a `flow.scm`: as much of tree-sitter's query language as such a table needs. Knows no grammar.

/// `(kind child…) @role`, or a list of words.
#[derive(Debug, Default)]
pub(crate) struct Pattern {
    pub(crate) kinds: Vec<String>,
    pub(crate) children: Vec<Child>,
    pub(crate) role: String,
    pub(crate) words: Vec<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Child {
    pub(crate) field: Option<String>,
    pub(crate) kinds: Vec<String>,
    pub(crate) part: Option<String>,
    pub(crate) absent: bool,
}

pub(crate) struct Tokens<'t> {
    list: Vec<&'t str>,
    at: usize,
}

impl<'t> Tokens<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let mut list = Vec::new();
        for line in text.lines() {
            let mut rest = line.trim_start();
            while let Some(first) = rest.chars().next().filter(|first| *first != ';') {
                let end = match first {
                    '(' | ')' | '[' | ']' | '!' | '?' | '*' | '+' => 1,
                    '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
                    _ => rest.find([' ', '\t', '(', ')', '[', ']']).unwrap_or(rest.len()),
                };
                list.push(&rest[..end]);
                rest = rest[end..].trim_start();
            }
        }
        Self { list, at: 0 }
    }

    fn peek(&self) -> Option<&'t str> {
        self.list.get(self.at).copied()
    }

    fn next(&mut self) -> Option<&'t str> {
        self.at += 1;
        self.list.get(self.at - 1).copied()
    }

    pub(crate) fn pattern(&mut self) -> Result<Option<Pattern>, String> {
        let Some(first) = self.next() else { return Ok(None) };
        let mut pattern = Pattern::default();
        match (first, self.peek()) {
            ("(", Some("(")) => {
                // `((kind) @role (#any-of? @role "a" "b"))`
                self.at += 1;
                self.inside(&mut pattern)?;
                self.role(&mut pattern)?;
                while let Some(token) = self.next() {
                    match token {
                        ")" => break,
                        "(" => {
                            while let Some(token) = self.next().filter(|token| *token != ")") {
                                if let Some(word) = token.strip_prefix('"') {
                                    pattern.words.push(word.trim_end_matches('"').to_owned());
                                }
                            }
                        }
                        other => return Err(format!("{other} stands where a predicate should")),
                    }
                }
            }
            ("(", _) => {
                self.inside(&mut pattern)?;
                self.role(&mut pattern)?;
            }
            ("[", _) => {
                pattern.kinds = self.alternatives();
                self.role(&mut pattern)?;
            }
            (other, _) => return Err(format!("{other} stands where a pattern should")),
        }
        Ok(Some(pattern))
    }

    fn role(&mut self, pattern: &mut Pattern) -> Result<(), String> {
        let token = self.next().unwrap_or_default();
        let role = token.strip_prefix('@').ok_or_else(|| format!("{token} stands where a role should"))?;
        role.clone_into(&mut pattern.role);
        Ok(())
    }

    fn alternatives(&mut self) -> Vec<String> {
        let mut kinds = Vec::new();
        while let Some(token) = self.next().filter(|token| *token != "]") {
            if !matches!(token, "(" | ")") {
                kinds.push(token.trim_matches('"').to_owned());
            }
        }
        kinds
    }

    /// After `(`, up to and with its `)`.
    fn inside(&mut self, pattern: &mut Pattern) -> Result<(), String> {
        pattern.kinds.push(self.next().unwrap_or_default().to_owned());
        let mut child = Child::default();
        while let Some(token) = self.next() {
            match token {
                ")" => return Ok(()),
                "!" => {
                    let field = self.next().map(str::to_owned);
                    pattern.children.push(Child { field, absent: true, ..Child::default() });
                    continue;
                }
                "(" => {
                    while let Some(token) = self.next().filter(|token| *token != ")") {
                        child.kinds.push(token.to_owned());
                    }
                }
                "[" => child.kinds = self.alternatives(),
                "_" => child.kinds.push("_".to_owned()),
                quoted if quoted.starts_with('"') => child.kinds.push(quoted.trim_matches('"').to_owned()),
                field if field.ends_with(':') => {
                    child.field = Some(field.trim_end_matches(':').to_owned());
                    continue;
                }
                other => return Err(format!("{other} stands where a child should")),
            }
            if matches!(self.peek(), Some("?" | "*" | "+")) {
                self.at += 1;
            }
            if let Some(part) = self.peek().and_then(|token| token.strip_prefix('@')) {
                self.at += 1;
                child.part = Some(part.to_owned());
            }
            pattern.children.push(std::mem::take(&mut child));
        }
        Err("a pattern is not closed".to_owned())
    }
}
