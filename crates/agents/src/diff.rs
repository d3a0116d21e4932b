//! A unified diff, for a person who wants to see an edit before it is made.
//! For files people keep by hand; texts too long to compare line by line are shown as replaced.

use std::fmt::Write;

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;
/// The comparison keeps a table of 4 bytes per pair of lines: this is 16 MiB.
const MAX_PAIRS: usize = 4 << 20;

/// Empty when the texts are equal. Hunks only: the caller knows the file's name.
pub fn diff(before: &str, after: &str) -> String {
    let before: Vec<&str> = before.split_inclusive('\n').collect();
    let after: Vec<&str> = after.split_inclusive('\n').collect();
    let steps = steps(&before, &after);
    let mut out = String::new();
    for hunk in hunks(&steps) {
        let count = |wanted: Side| steps[hunk.clone()].iter().filter(|step| step.side != wanted).count();
        let line = |wanted: Side| steps[..hunk.start].iter().filter(|step| step.side != wanted).count();
        let (removed, added) = (count(Side::Added), count(Side::Removed));
        // A side without lines is numbered by the line before it.
        let old = line(Side::Added) + usize::from(removed > 0);
        let new = line(Side::Removed) + usize::from(added > 0);
        let _ = writeln!(out, "@@ -{old},{removed} +{new},{added} @@");
        for step in &steps[hunk] {
            out.push(match step.side {
                Side::Both => ' ',
                Side::Removed => '-',
                Side::Added => '+',
            });
            out.push_str(step.line);
            if !step.line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Both,
    Removed,
    Added,
}

struct Step<'a> {
    side: Side,
    line: &'a str,
}

/// From `before` to `after`, line by line, with as many lines kept as possible.
fn steps<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<Step<'a>> {
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let head = before.iter().zip(after).take_while(same).count();
    let tail = before[head..].iter().rev().zip(after[head..].iter().rev()).take_while(same).count();
    let old = &before[head..before.len() - tail];
    let new = &after[head..after.len() - tail];
    let step = |side| move |line: &&'a str| Step { side, line };
    let mut steps: Vec<Step<'a>> = before[..head].iter().map(step(Side::Both)).collect();
    let (mut i, mut j) = (0, 0);
    if old.len().saturating_mul(new.len()) <= MAX_PAIRS {
        let width = new.len() + 1;
        let kept = common(old, new);
        while i < old.len() && j < new.len() {
            if old[i] == new[j] {
                steps.push(Step { side: Side::Both, line: old[i] });
                i += 1;
                j += 1;
            } else if kept[(i + 1) * width + j] >= kept[i * width + j + 1] {
                steps.push(Step { side: Side::Removed, line: old[i] });
                i += 1;
            } else {
                steps.push(Step { side: Side::Added, line: new[j] });
                j += 1;
            }
        }
    }
    steps.extend(old[i..].iter().map(step(Side::Removed)));
    steps.extend(new[j..].iter().map(step(Side::Added)));
    steps.extend(before[before.len() - tail..].iter().map(step(Side::Both)));
    steps
}

/// The length of the longest common subsequence of `old[i..]` and `new[j..]`, at `i * (new.len() + 1) + j`.
fn common(old: &[&str], new: &[&str]) -> Vec<u32> {
    let width = new.len() + 1;
    let mut kept = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            kept[i * width + j] = if old[i] == new[j] {
                kept[(i + 1) * width + j + 1] + 1
            } else {
                kept[(i + 1) * width + j].max(kept[i * width + j + 1])
            };
        }
    }
    kept
}

/// The runs of steps to show: each change with its context, joined where the contexts touch.
fn hunks(steps: &[Step<'_>]) -> Vec<std::ops::Range<usize>> {
    let mut hunks: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, _) in steps.iter().enumerate().filter(|(_, step)| step.side != Side::Both) {
        let end = (at + 1 + CONTEXT).min(steps.len());
        match hunks.last_mut() {
            Some(hunk) if at <= hunk.end + CONTEXT => hunk.end = end,
            _ => hunks.push(at.saturating_sub(CONTEXT)..end),
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::diff;

    #[test]
    fn equal_texts_have_no_difference() {
        assert_eq!(diff("a\nb\n", "a\nb\n"), "");
        assert_eq!(diff("", ""), "");
    }

    #[test]
    fn a_new_file_is_all_additions() {
        assert_eq!(diff("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
    }

    #[test]
    fn changes_far_apart_are_two_hunks_and_near_ones_one() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n";
        let after = before.replace("2\n3\n", "2\nx\n").replace("19\n", "");
        assert_eq!(
            diff(before, &after),
            "@@ -1,6 +1,6 @@\n 1\n 2\n-3\n+x\n 4\n 5\n 6\n@@ -16,5 +16,4 @@\n 16\n 17\n 18\n-19\n 20\n"
        );
        assert_eq!(
            diff(before, &before.replace("9\n10\n", "9\n").replace("12\n", "")).matches("@@ -").count(),
            1
        );
    }

    #[test]
    fn a_missing_last_line_break_is_said() {
        assert_eq!(diff("a", "a\n"), "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
    }
}
