//! What programs write that fetch or unpack: `curl`, `wget`, `tar`.

use super::{How, List, Parsed, base, written};
use crate::shell::Word;

const CURL_WORDS: &str = "\
    -o -H -d -X -u -A -e -b -c -D -F -K -m -r -T -w -x -y -Y -z -E -C -Q -U --output --header --data \
    --data-raw --data-binary --data-urlencode --json --request --user --user-agent --referer --cookie \
    --cookie-jar --dump-header --form --config --max-time --connect-timeout --range --upload-file \
    --write-out --proxy --cacert --cert --key --retry --retry-delay --output-dir --url --resolve \
    --interface --limit-rate";

impl List<'_> {
    pub(super) fn curl(&mut self, words: &[Word]) {
        let parsed = Parsed::of(words, CURL_WORDS);
        let folder = parsed.value("--output-dir").and_then(written);
        let within =
            |name: String| folder.as_ref().map_or_else(|| name.clone(), |folder| format!("{folder}/{name}"));
        for (option, value) in &parsed.options {
            if matches!(option.as_str(), "-o" | "--output" | "-D" | "-c" | "--dump-header" | "--cookie-jar")
                && let Some(path) = value.as_ref().and_then(written)
            {
                self.add_path(within(path), How::Write);
            }
        }
        if parsed.has_letter('O') || parsed.has("--remote-name") || parsed.has("--remote-name-all") {
            for name in parsed.operands.iter().filter_map(remote_name) {
                self.add_path(within(name), How::Write);
            }
        }
    }

    pub(super) fn wget(&mut self, parsed: &Parsed) {
        if let Some(file) = parsed.value("-O --output-document") {
            return self.add(file, How::Write);
        }
        let folder = parsed.value("-P --directory-prefix").and_then(written);
        for name in parsed.operands.iter().filter_map(remote_name) {
            let path = folder.as_ref().map_or_else(|| name.clone(), |folder| format!("{folder}/{name}"));
            self.add_path(path, How::Write);
        }
    }

    pub(super) fn tar(&mut self, words: &[Word]) {
        // `tar xf a.tar`: the first word is letters, with or without a dash.
        let mut all = words.to_vec();
        let first = words.first().map(Word::prefix).unwrap_or_default();
        if !first.is_empty() && first.bytes().all(|letter| letter.is_ascii_alphabetic()) {
            // Each letter that takes a word takes one of those that follow.
            all.remove(0);
            let takes = first.chars().filter(|letter| "fCbTXKN".contains(*letter));
            let mut options = Vec::new();
            for letter in takes {
                options.push(Word::literal(&format!("-{letter}")));
                if !all.is_empty() {
                    options.push(all.remove(0));
                }
            }
            options.extend(
                first
                    .chars()
                    .filter(|letter| !"fCbTXKN".contains(*letter))
                    .map(|letter| Word::literal(&format!("-{letter}"))),
            );
            options.append(&mut all);
            all = options;
        }
        let parsed = Parsed::of(&all, "-f -C -b -T -X -K -N --file --directory --exclude --transform");
        if parsed.has_letter('x') || parsed.has("--extract") || parsed.has("--get") {
            if let Some(folder) = parsed.value("-C --directory") {
                self.add(folder, How::Within);
            }
        } else if let Some(file) = parsed.value("-f --file")
            && ("cru".chars().any(|letter| parsed.has_letter(letter))
                || ["--create", "--append", "--update"].iter().any(|name| parsed.has(name)))
        {
            self.add(file, How::Write);
        }
    }
}

/// The last part of an address.
fn remote_name(word: &Word) -> Option<String> {
    if word.is_unknown() {
        return None;
    }
    let text = word.shape();
    let address = text.split(['?', '#']).next().unwrap_or(&text);
    let path = address.split_once("://").map_or(address, |(_, rest)| rest);
    let name = path.split_once('/').map_or("", |(_, path)| base(path));
    Some(if name.is_empty() { "index.html".to_owned() } else { name.to_owned() })
}
