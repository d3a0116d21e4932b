//! Programs that run a program of a project, of a machine or of a container: `npx`, `poetry run`, `doppler run --`,
//! `fly ssh console -C`.

use super::fed::{Waiting, What};
use super::reader::Reader;
use super::wrappers::{lists, past_options};
use super::{Word, Wrap};

struct Runner {
    names: &'static str,
    /// The word before the program; none where it follows at once.
    verbs: &'static str,
    with_word: &'static str,
}

const RUNNERS: &[Runner] = &[
    Runner { names: "npx bunx pnpx", verbs: "", with_word: "-p --package" },
    Runner {
        names: "pnpm yarn npm bun",
        verbs: "exec dlx x",
        with_word: "-C --dir -p --package --filter -F -w --workspace",
    },
    Runner {
        names: "poetry pipenv uv rye hatch pdm",
        verbs: "run",
        with_word: "-p --python --with --project -e --env-file --directory -C --extra --group",
    },
    Runner { names: "bundle rbenv pyenv asdf", verbs: "exec", with_word: "" },
    Runner { names: "conda mamba micromamba", verbs: "run", with_word: "-n --name -p --prefix --cwd" },
];
/// What follows behind `--`.
const BEHIND_DASHES: &str =
    "aws-vault doppler op chamber teller infisical dotenv dotenvx mise rtx nix devbox envchain sops npm";
const BEHIND_DASHES_FAR: &str = "lxc incus multipass mosh crictl";
/// Programs of packages that yarn and its kin start without a word of their own.
const OF_PACKAGES: &str = "prisma sequelize sequelize-cli typeorm knex drizzle-kit supabase wrangler vercel netlify firebase cdk \
    cdktf serverless sls sst rimraf mikro-orm";

impl Reader {
    /// Starts what such a program runs.
    pub(super) fn runner(&mut self, at: usize, program: &str, words: &[Word]) {
        let is = |place: usize, list: &str| {
            words.get(place).and_then(Word::text).is_some_and(|text| lists(list, &text))
        };
        for runner in RUNNERS.iter().filter(|runner| lists(runner.names, program)) {
            let from = past_options(words, 1, runner.with_word);
            let from = match runner.verbs {
                "" => from,
                verbs if is(from, verbs) => past_options(words, from + 1, runner.with_word),
                _ if is(from, OF_PACKAGES) && lists("pnpm yarn bun", program) => from,
                _ => continue,
            };
            return self.start(at, Wrap::Runs, words.get(from..).unwrap_or_default(), Vec::new(), false);
        }
        let dashes = words.iter().position(|word| word.text().as_deref() == Some("--"));
        let behind = dashes.map(|dashes| &words[dashes + 1..]);
        match (program, behind) {
            (_, Some(inner)) if lists(BEHIND_DASHES, program) => {
                self.start(at, Wrap::Runs, inner, Vec::new(), false);
            }
            (_, Some(inner)) if lists(BEHIND_DASHES_FAR, program) => {
                self.start(at, Wrap::Elsewhere, inner, Vec::new(), false);
            }
            ("nix-shell", _) => self.option_text(at, words, &["--run", "--command"], Wrap::Script),
            ("vagrant", _) if is(1, "ssh") => {
                self.option_text(at, words, &["-c", "--command"], Wrap::Elsewhere);
            }
            ("gcloud", _) if is(1, "compute") => self.option_text(at, words, &["--command"], Wrap::Elsewhere),
            ("fly" | "flyctl", _) if is(1, "ssh") => {
                self.option_text(at, words, &["-C", "--command"], Wrap::Elsewhere);
            }
            ("ansible", _) => self.option_text(at, words, &["-a", "--args"], Wrap::Elsewhere),
            ("heroku", _) if is(1, "run run:detached") => {
                let from = past_options(words, 2, "-a --app -r --remote -s --size");
                self.start_text(at, Wrap::Elsewhere, words.get(from..).unwrap_or_default());
            }
            ("pdsh" | "pssh" | "parallel-ssh" | "dsh", _) => {
                let from = past_options(words, 1, "-w -l -h -H -p -t -x -f -g -o");
                self.start_text(at, Wrap::Elsewhere, words.get(from..).unwrap_or_default());
            }
            ("tmux", _) if is(1, "send-keys send new-session new neww new-window split-window run-shell") => {
                let from = past_options(words, 2, "-t -s -n -c -x -y -F -e -N");
                if let Some(text) = words.get(from) {
                    self.start_text(at, Wrap::Script, std::slice::from_ref(text));
                }
            }
            ("screen", _) => {
                let from = past_options(words, 1, "-S -t -c -e -h -p");
                self.start(at, Wrap::Plain, words.get(from..).unwrap_or_default(), Vec::new(), false);
            }
            ("at" | "batch", _) => self.fed.push(Waiting { at, what: What::Script }),
            _ => {}
        }
    }

    fn option_text(&mut self, at: usize, words: &[Word], options: &[&str], wrap: Wrap) {
        for (place, word) in words.iter().enumerate().skip(1) {
            let Some(text) = word.text() else { continue };
            let joined = options.iter().find_map(|option| text.strip_prefix(option)?.strip_prefix('='));
            let script = match joined {
                Some(joined) => Word::literal(joined),
                None if options.contains(&text.as_str()) => words.get(place + 1).cloned().unwrap_or_default(),
                None => continue,
            };
            return self.start_text(at, wrap, &[script]);
        }
    }
}
