//! What programs write that are given a script or a patch: `sed`, `perl`, `awk`, `ed`, `ex`, `patch`, `git apply`.

use super::{How, List, Parsed, Patch, written};
use crate::shell::scripts::{self, Does, Input};
use crate::shell::{Word, writes};

impl List<'_> {
    pub(super) fn sed(&mut self, parsed: &Parsed) {
        let given = parsed.options.iter().filter(|(name, _)| matches!(name.as_str(), "-e" | "--expression"));
        let mut texts: Vec<String> = given.filter_map(|(_, word)| Some(word.as_ref()?.shape())).collect();
        let has_script = parsed.value("-e -f --expression --file").is_some();
        if !has_script {
            texts.extend(parsed.operands.iter().find(|word| !word.is_empty()).map(Word::shape));
        }
        for text in texts {
            self.does(scripts::sed(&text), false);
        }
        // `-i.bak` keeps a copy, `-ni` has company.
        let in_place = parsed.options.iter().any(|(option, _)| {
            option.starts_with("--in-place")
                || option.starts_with("-i")
                || (!option.starts_with("--") && option.ends_with('i'))
        });
        if !in_place {
            return;
        }
        let files: Vec<Word> = parsed.operands.iter().filter(|word| !word.is_empty()).cloned().collect();
        self.each(files.get(usize::from(!has_script)..).unwrap_or_default(), How::Edit);
    }

    pub(super) fn perl(&mut self, words: &[Word]) {
        let parsed = Parsed::of(words, "-e -E -I -M");
        let in_place = parsed.options.iter().any(|(option, _)| {
            option.starts_with("-i")
                || (!option.starts_with("--") && option.contains('i') && !option.starts_with("-M"))
        });
        if in_place {
            let has_script = parsed.value("-e -E").is_some();
            self.each(parsed.operands.get(usize::from(!has_script)..).unwrap_or_default(), How::Edit);
        }
    }

    pub(super) fn awk(&mut self, parsed: &Parsed) {
        let is_inplace = |word: &Word| word.text().as_deref() == Some("inplace");
        let has_script = parsed.value("-f --file").is_some();
        let files = parsed.operands.get(usize::from(!has_script)..).unwrap_or_default();
        if parsed.value("-i --include").is_some_and(is_inplace) {
            self.each(files, How::Edit);
        }
        let sets = parsed.options.iter().filter(|(name, _)| matches!(name.as_str(), "-v" | "--assign"));
        let sets = sets.filter_map(|(_, word)| word.as_ref()).chain(files);
        let given: Vec<(String, String)> = sets
            .filter_map(|word| {
                word.shape().split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
            })
            .collect();
        if let Some(program) = parsed.operands.first().filter(|_| !has_script) {
            self.does(scripts::awk(&program.shape(), &given), false);
        }
    }

    /// `ed`, `ex`, `vim -c`: the file they open, and what their script writes beside it.
    pub(super) fn editor(&mut self, program: &str, words: &[Word]) {
        let parsed = Parsed::of(words, "-c -S -s -u -i -w -W -t -T --cmd");
        // To `ed` and `ex` that is no word's beginning: they are silent.
        let parsed =
            if matches!(program, "ed" | "red" | "ex") { Parsed::of(words, "-p -c -S -u") } else { parsed };
        let only_reads = program == "view" || parsed.has("-R") || parsed.has("-M");
        let given = parsed.options.iter().filter(|(name, _)| matches!(name.as_str(), "-c" | "--cmd"));
        let mut texts: Vec<String> = given.filter_map(|(_, word)| Some(word.as_ref()?.shape())).collect();
        for word in &parsed.operands {
            match word.prefix().strip_prefix('+') {
                Some(command) => texts.push(command.to_owned()),
                None if only_reads => {}
                None => self.add(word, How::Edit),
            }
        }
        if let Some(Input::Text(text)) = &self.input {
            texts.push(text.clone());
        }
        for text in texts {
            self.does(scripts::ex(&text), true);
        }
    }

    /// `patch < file`, `patch -i file`, `git apply file`: what stands in the patch, where it can be read.
    pub(super) fn patched(&mut self, parsed: &Parsed, files: &[Word], default_strip: usize) {
        let strip = parsed.value("-p --strip").and_then(Word::text).and_then(|text| text.parse().ok());
        let strip = strip.unwrap_or(default_strip);
        let below = parsed.value("-d --directory").and_then(written);
        let inside = |path: String| match &below {
            Some(folder) if !path.starts_with('/') => format!("{folder}/{path}"),
            _ => path,
        };
        let input = if files.is_empty() { self.input.take() } else { None };
        match input {
            Some(Input::Text(text)) => {
                for path in scripts::patch(&text, strip) {
                    self.add_path(inside(path), How::Edit);
                }
            }
            Some(Input::File(word)) => self.patch_file(&word, strip, below.as_deref()),
            Some(Input::Unknown) | None => {}
        }
        for word in files {
            self.patch_file(word, strip, below.as_deref());
        }
    }

    fn patch_file(&mut self, word: &Word, strip: usize, below: Option<&str>) {
        let folder = self.command.folder.as_deref().and_then(written);
        if let Some(path) = written(word) {
            self.patches.push(Patch { path, folder, strip, below: below.map(str::to_owned) });
        }
    }

    fn does(&mut self, does: Does, knows_home: bool) {
        // Only a shell and an editor take `~` for the home folder.
        let named =
            |path: String| if path.starts_with('~') && !knows_home { format!("./{path}") } else { path };
        for path in does.writes {
            self.add_path(named(path), How::Write);
        }
        for path in does.within {
            self.add_path(named(path), How::Within);
        }
        for command in does.runs {
            let inner = writes(&command);
            self.is_cut |= inner.is_cut;
            inner.all.into_iter().for_each(|write| self.push(write));
        }
    }
}
