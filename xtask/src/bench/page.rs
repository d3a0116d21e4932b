//! What a bench says: tables, and goals judged by the reporting rule. Both sides of every goal come from one run;
//! a goal is not judged when its reference side is too noisy to mean anything.

use std::fmt::Write;

use super::machine;
use super::samples::Samples;

/// Above this the reference itself is not to be trusted.
const MAX_NOISE: f64 = 2.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Holds,
    Missed,
    NotJudged,
}

/// `ours` may be at most `most` times `reference`.
#[derive(Debug)]
pub(crate) struct Goal {
    pub(crate) says: String,
    pub(crate) ours: f64,
    pub(crate) reference: f64,
    pub(crate) most: f64,
    pub(crate) unit: &'static str,
    /// How far the reference side can be trusted, p95 over p50 at least; 1 where it is a constant.
    pub(crate) noise: f64,
}

impl Goal {
    pub(crate) fn ratio(&self) -> f64 {
        self.ours / self.reference
    }

    pub(crate) fn verdict(&self) -> Verdict {
        if self.noise > MAX_NOISE || !self.ratio().is_finite() {
            Verdict::NotJudged
        } else if self.ratio() <= self.most {
            Verdict::Holds
        } else {
            Verdict::Missed
        }
    }
}

/// A page with the sections of a newer one in the place of those of the same name, or behind them; the head is the newer's.
pub(crate) fn merged(old: &str, new: &str) -> String {
    let sections = |page: &str| -> Vec<String> {
        page.split("\n## ").map(|section| section.trim_end().to_owned()).collect()
    };
    let title = |section: &str| section.lines().next().unwrap_or_default().to_owned();
    let mut newer = sections(new);
    let head = newer.remove(0);
    let mut kept: Vec<String> = sections(old).into_iter().skip(1).collect();
    for section in newer {
        match kept.iter_mut().find(|known| title(known) == title(&section)) {
            Some(known) => *known = section,
            None => kept.push(section),
        }
    }
    kept.iter().fold(head, |page, section| page + "\n\n## " + section) + "\n"
}

/// The page as it grows; Markdown, because a person reads it in the terminal and in the repository.
#[derive(Debug, Default)]
pub(crate) struct Page {
    text: String,
    goals: Vec<Goal>,
    load: String,
}

impl Page {
    pub(crate) fn begin(&mut self, title: &str, says: &str) {
        self.load = machine::load();
        self.line(&format!("\n## {title}\n\n{says}\n"));
    }

    pub(crate) fn line(&mut self, line: &str) {
        println!("{line}");
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub(crate) fn row(&mut self, cells: &[&str]) {
        self.line(&format!("| {} |", cells.join(" | ")));
    }

    pub(crate) fn head(&mut self, cells: &[&str]) {
        self.row(cells);
        self.row(&vec!["---"; cells.len()]);
    }

    /// One row of a table of times.
    pub(crate) fn times(&mut self, name: &str, samples: &Samples, cpu: Option<f64>) {
        let [p50, p95, p99] = [50.0, 95.0, 99.0].map(|percent| format!("{:.3}", samples.percentile(percent)));
        let cpu = cpu.map_or_else(String::new, |cpu| format!("{cpu:.3}"));
        self.row(&[name, &samples.len().to_string(), &p50, &p95, &p99, &cpu]);
    }

    pub(crate) fn times_head(&mut self) {
        self.head(&["what", "runs", "p50 ms", "p95 ms", "p99 ms", "CPU ms"]);
    }

    pub(crate) fn goal(&mut self, goal: Goal) {
        self.goals.push(goal);
    }

    /// Ends a section: the goals judged since the last one, and the load before and after.
    pub(crate) fn end(&mut self, from: usize) {
        let mut text = String::new();
        for goal in &self.goals[from..] {
            let verdict = match goal.verdict() {
                Verdict::Holds => "holds".to_owned(),
                Verdict::Missed => "**missed**".to_owned(),
                Verdict::NotJudged => format!("not judged: noise {:.1}", goal.noise),
            };
            let _ = writeln!(
                text,
                "| {} | {:.3} {unit} | {:.3} {unit} | {:.2} | {:.2} | {verdict} |",
                goal.says,
                goal.ours,
                goal.reference,
                goal.ratio(),
                goal.most,
                unit = goal.unit,
            );
        }
        if !text.is_empty() {
            self.line("");
            self.head(&["goal", "ours", "reference", "ratio", "at most", "verdict"]);
            self.line(text.trim_end());
        }
        self.line(&format!("\nLoad average before {}, after {}.", self.load, machine::load()));
    }

    pub(crate) fn goals(&self) -> &[Goal] {
        &self.goals
    }

    pub(crate) fn count(&self, verdict: Verdict) -> usize {
        self.goals.iter().filter(|goal| goal.verdict() == verdict).count()
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(ours: f64, reference: f64, noise: f64) -> Verdict {
        Goal { says: String::new(), ours, reference, most: 1.3, unit: "ms", noise }.verdict()
    }

    #[test]
    fn a_goal_is_judged_by_its_ratio_and_only_on_a_quiet_machine() {
        assert_eq!(verdict(1.3, 1.0, 1.9), Verdict::Holds);
        assert_eq!(verdict(1.4, 1.0, 1.9), Verdict::Missed);
        assert_eq!(verdict(1.4, 1.0, 2.1), Verdict::NotJudged);
        assert_eq!(verdict(1.0, 0.0, 1.0), Verdict::NotJudged);
    }

    #[test]
    fn what_was_measured_anew_takes_its_place_and_the_rest_stays() {
        let old = "# P\n\nold head\n\n## Hook\n\n1\n\n## Code\n\n2\n\n3 goals hold.\n";
        let new = "# P\n\nnew head\n\n## Code\n\n4\n\n## Many\n\n5\n";
        assert_eq!(merged(old, new), "# P\n\nnew head\n\n## Hook\n\n1\n\n## Code\n\n4\n\n## Many\n\n5\n");
        assert_eq!(merged("", new), new);
    }
}
