//! Before work that cannot easily be taken back, the ways in which such work fails: a few words, once per kind of risk and
//! session. Our own words; silent on everything else.

use std::sync::OnceLock;

use model::{Advice, Author, Detail, Event, EventKind, Item};
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

use crate::Result;
use crate::behavior::{Behavior, Context, Late};
use crate::page::Page;

const BUDGET: u32 = 90;
/// Of a prompt; what is longer was pasted.
const MAX_CHARS: usize = 1500;

#[derive(Debug)]
pub(crate) struct SuggestPremortem;

/// A kind of work, how it is asked for, and how it fails.
struct Risk {
    name: &'static str,
    /// A deed and what it is done to, within one sentence.
    asked: &'static str,
    fails: &'static str,
}

/// A wish, not a question about one: "explain how the migration works" asks for no care.
const QUESTIONS: &str = r"^\W*(what|why|how|where|when|which|who|explain|describe|show|summari[sz]e|list|does|do|is|are|was|did|tell|document|read|review|look)\b";

/// What is done beside such work breaks nothing.
const BESIDE: &str = r"\b(tests?|typos?|comments?|docs?|documentation|readme|labels?|wording|css|styles?|mocks?|fixtures?|log lines?)\b";

const RISKS: &[Risk] = &[
    Risk {
        name: "migration",
        asked: r"\b(migrat(e|ing|ion)|backfill|alter|drop|rename|split|convert)\b[^.!?\n]{0,60}\b(table|column|schema|database|db|index|production data|records|rows|postgres|mysql|users? data)\b|\b(write|add|create|run|apply)\b[^.!?\n]{0,30}\bmigrations?\b",
        fails: "no way back once new rows are written; locks on large tables; old code against the new schema while it rolls out; rows that break the new rule; a backfill that stops halfway.",
    },
    Risk {
        name: "data-deletion",
        asked: r"\b(delete|purge|wipe|truncate|erase|remove|drop|clean up)\b[^.!?\n]{0,50}\b(all|old|unused|stale|inactive|expired|production|customer|users?)\b[^.!?\n]{0,30}\b(records?|rows?|users?|accounts?|data|backups?|buckets?|tables?|objects|volumes?)\b|\btruncate\s+(the\s+)?(table\b|\w+\s+table\b)|\b(drop|delete|destroy|wipe|purge|remove)\s+(the|our|this|that|all|every)\s+([\w-]+\s+){0,2}(buckets?|databases?|backups?|volumes?|clusters?|snapshots?)(\W*$|[,;:]|\s+(of|in|on|from|and|with|for|that|which|when|before|after|once|now|today|tonight)\b)|\b(terraform|pulumi|tofu|cdk)\s+destroy\b|\b(destroy|tear down)\b[^.!?\n]{0,30}\b(staging|production|prod|environments?|infrastructure|cluster|stack)\b|\bdelete\s+from\s+\w+|\bdrop\s+database\b",
        fails: "a filter that matches too much; no backup that was ever restored; what refers to it elsewhere; no dry run that counts first; no limit per run.",
    },
    Risk {
        name: "auth",
        asked: r"\b(implement|add|change|replace|rewrite|refactor|switch|migrate|build|rotate|roll out)\b[^.!?\n]{0,60}\b(auth|authentication|authori[sz]ation|login|log-in|sso|oauth|oidc|saml|jwt|session tokens?|password (hashing|reset)|permissions?|rbac|encryption|crypto(graphy)?|signing keys?|certificates?)\b",
        fails: "everybody locked out; old sessions and tokens still valid, or none; a check missing on one path; secrets in logs; clocks and expiry; no way to roll back.",
    },
    Risk {
        name: "deployment",
        asked: r"\b(deploy|release|roll ?out|ship|cut ?over|promote|go live)\b[^.!?\n]{0,60}\b(prod|production|live|customers?|everyone|cluster|fleet|all regions)\b",
        fails: "no rollback that was tried; settings and secrets that differ there; migrations before or after the code; half the fleet on the old version; nobody watching the right number.",
    },
    Risk {
        name: "concurrency",
        asked: r"\b(make|add|implement|introduce|rewrite|convert|refactor|fix)\b[^.!?\n]{0,60}\b(thread-?safe|concurren(t|cy)|multi-?thread(ed|ing)?|parallel(ism|ize|ise)?|lock-?free|mutex(es)?|race conditions?|deadlocks?|async workers?|distributed lock)\b|\b(paralleli[sz]e|multithread)\b[^.!?\n]{0,60}\b(workers?|pool|import(er)?|jobs?|queue|pipeline|loop|processing|requests?|writes?|threads?)\b|\b(run|process|handle)\b[^.!?\n]{0,40}\b(in parallel|concurrently)\b[^.!?\n]{0,40}\b(workers?|threads?|pool|writes?)\b",
        fails: "two writers, one lost update; locks taken in another order; work that is retried and done twice; a queue without a bound; a test that passes because it is alone.",
    },
    Risk {
        name: "payments",
        asked: r"\b(implement|add|change|integrate|migrate|switch|refactor|build|fix)\b[^.!?\n]{0,60}\b(payments?|billing|checkout|refunds?|invoic(e|es|ing)|subscriptions?|stripe|paypal|payouts?|charges?)\b|\b(refund|reimburse|charge|bill|invoice|debit)\s+(all|every|each|the|our|these|those)?\s*([\w-]+\s+)?(customers?|users?|orders?|payments?|subscribers?|clients?|cards?|accounts?)\b",
        fails: "charged twice on a retry (no idempotency key); webhooks late, twice or out of order; rounding and currency; money taken and nothing recorded; refunds of what was never paid.",
    },
    Risk {
        name: "api-break",
        asked: r"\b(remove|rename|change|drop|break|redesign|replace)\b[^.!?\n]{0,50}\b(public|published|external|v1|versioned)\b[^.!?\n]{0,30}\b(api|endpoints?|interface|sdk|library|contract|schema|signature)\b|\bbreaking change\b",
        fails: "callers nobody knows of; clients that are updated last; old and new at the same time; documents and examples that lie; no version, no warning, no date.",
    },
    Risk {
        name: "big-refactor",
        asked: r"\b(rewrite|refactor|restructure|port|re-?architect|replace)\b[^.!?\n]{0,40}\b(entire|whole|everything|all of|across the (code ?base|repo|project)|from scratch|monolith|core|architecture)\b|\b(split|break( up)?|carve|extract)\b[^.!?\n]{0,30}\b(monolith|application|app|code ?base|backend)\b[^.!?\n]{0,20}\b(into|in|to)\b[^.!?\n]{0,20}\b(micro-?)?(services|crates|packages|modules|repos(itories)?)\b|\b(rewrite|port)\b[^.!?\n]{0,40}\b(in|to) (rust|go|typescript|python|java|kotlin|swift)\b",
        fails: "behavior nobody wrote down; no tests that pin it first; one change too large to review; both halves alive for months; work of others in the same files.",
    },
];

impl Behavior for SuggestPremortem {
    fn name(&self) -> &'static str {
        "suggest-premortem"
    }

    fn manual(&self) -> &'static str {
        "Before risky work (migrations, deleting data, authentication, deployments, concurrency, payments, breaking a public \
         interface, large refactorings) says in one line how such work usually fails, so that the agent thinks of it first. \
         Once per session and kind of risk; silent on questions and on everything else."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::UserPromptSubmit]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        self.on().contains(&kind)
    }

    fn late(&self, _cx: &Context, _event: &Event) -> Late {
        Late::Turn
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let Detail::Prompt { text, author: Author::Person } = &event.detail else {
            return Ok(Advice::silent());
        };
        let Some(risk) = risk(text) else { return Ok(Advice::silent()) };
        let mark = format!("premortem:{}:{}", event.session, risk.name);
        let mut is_new = !cx.read(|tables| Ok(tables.is_marked(&mark)?))?;
        cx.around.desk(&event.session, None, &mut |desk| is_new &= desk.tell(mark.clone(), 1));
        if !is_new {
            return Ok(Advice::silent());
        }
        let mut page = Page::new(BUDGET);
        let item = Item {
            memory: None,
            part: "premortem".to_owned(),
            title: risk.name.to_owned(),
            tokens: 0,
            why: "risky work".to_owned(),
        };
        page.item(
            &format!("Before this ({}), think through how such work fails: {}", risk.name, risk.fails),
            item,
        );
        Ok(Advice {
            notes: page.finish(self.name()).into_iter().collect(),
            marks: vec![mark],
            ..Advice::silent()
        })
    }
}

/// What spares a prompt, and what each risk is known by.
type Built = ([Option<Regex>; 2], Vec<Option<Regex>>);

/// The first kind of risk a prompt asks for.
fn risk(text: &str) -> Option<&'static Risk> {
    static BUILT: OnceLock<Built> = OnceLock::new();
    let text = text.trim();
    if text.starts_with(['/', '<', '!']) {
        return None;
    }
    let (spared, risks) = BUILT.get_or_init(|| {
        let build = |pattern: &str| {
            let syntax = syntax::Config::new().case_insensitive(true).unicode(true);
            Regex::builder().syntax(syntax).build(pattern).ok()
        };
        ([build(QUESTIONS), build(BESIDE)], RISKS.iter().map(|risk| build(risk.asked)).collect())
    });
    let text: String =
        text.split("```").step_by(2).collect::<Vec<_>>().join("\n").chars().take(MAX_CHARS).collect();
    let asks = |sentence: &str| spared.iter().flatten().any(|spared| spared.is_match(sentence));
    let wishes: Vec<&str> = text
        .split_inclusive(['.', '\n', '!', '?'])
        .filter(|sentence| !sentence.trim_end().ends_with('?') && !asks(sentence))
        .collect();
    RISKS.iter().zip(risks).find_map(|(risk, pattern)| {
        let pattern = pattern.as_ref()?;
        wishes.iter().any(|wish| pattern.is_match(*wish)).then_some(risk)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_risk_is_recognized() {
        for risk in RISKS {
            assert!(Regex::new(risk.asked).is_ok(), "{}", risk.name);
        }
        for (prompt, name) in [
            ("Write a migration that splits the users table in two", "migration"),
            ("drop the legacy_id column from the orders table", "migration"),
            ("Delete all inactive user accounts from the database", "data-deletion"),
            ("purge old customer records", "data-deletion"),
            ("Replace our login with OAuth", "auth"),
            ("let's rotate the signing keys", "auth"),
            ("deploy this to production tonight", "deployment"),
            ("make the cache thread-safe", "concurrency"),
            ("Integrate Stripe payments into checkout", "payments"),
            ("Remove the v1 API endpoints", "api-break"),
            ("refactor the entire codebase to hexagonal architecture", "big-refactor"),
            ("port the service to Rust", "big-refactor"),
            ("TRUNCATE TABLE audit_log", "data-deletion"),
            ("truncate the sessions table", "data-deletion"),
            ("terraform destroy the staging environment", "data-deletion"),
            ("tear down the production stack", "data-deletion"),
            ("delete the bucket", "data-deletion"),
            ("drop the old analytics database", "migration"),
            ("delete from orders where status is null", "data-deletion"),
            ("refund all orders of yesterday automatically", "payments"),
            ("charge customers in euros instead of dollars", "payments"),
            ("bill the subscribers monthly", "payments"),
            ("parallelize the import worker pool", "concurrency"),
            ("parallelise the jobs of the nightly run", "concurrency"),
            ("split the monolith into services", "big-refactor"),
            ("break the backend up into microservices", "big-refactor"),
        ] {
            assert_eq!(super::risk(prompt).map(|risk| risk.name), Some(name), "{prompt}");
        }
    }

    #[test]
    fn what_is_harmless_is_not_commented_on() {
        for prompt in [
            "explain how the migration works",
            "what does the deploy script do?",
            "fix the typo in README.md",
            "rename the variable x to count",
            "add a test for the login page",
            "delete the unused import",
            "show me the payments module",
            "refactor this function to use early returns",
            "remove the console.log",
            "is production healthy?",
            "drop the second argument of parse",
            "```\nDROP TABLE users;\n```\nwhat is this?",
        ] {
            assert_eq!(super::risk(prompt).map(|risk| risk.name), None, "{prompt}");
        }
    }

    #[test]
    fn forty_harmless_prompts_are_met_with_silence() {
        const HARMLESS: [&str; 40] = [
            "truncate the title to 40 characters",
            "truncate long lines in the log view",
            "delete the bucket icon from the toolbar",
            "remove the bucket parameter of the function",
            "delete the empty line at the end",
            "destroy the widget when the window closes",
            "call destroy on the event listener",
            "what does terraform destroy do?",
            "explain terraform plan",
            "add an order field to the form",
            "sort the orders by date",
            "who is in charge of the parser?",
            "show a charge indicator for the battery",
            "rename charge to amount",
            "the battery should charge faster in the game",
            "format the bill of materials as a list",
            "print the invoice number in bold",
            "split the string into words",
            "split this file into two modules",
            "split the function into smaller ones",
            "break the line after the comma",
            "extract a function from this loop",
            "draw two parallel lines",
            "compute whether the vectors are parallel",
            "import the worker type from the pool module",
            "rename WorkerPool to Pool",
            "add a column to the CSS grid",
            "drop the trailing slash of the path",
            "drop the shadow of the card",
            "remove the users import, it is unused",
            "delete this comment",
            "clean up the formatting",
            "make the table header sticky",
            "add a loading spinner to the page",
            "update the README",
            "run the tests",
            "fix the off-by-one in the pager",
            "convert the date to ISO format",
            "why is the build slow?",
            "move the helper next to its caller",
        ];
        let said: Vec<_> = HARMLESS.iter().filter_map(|text| Some((text, super::risk(text)?.name))).collect();
        assert!(said.is_empty(), "{said:?}");
    }
}
