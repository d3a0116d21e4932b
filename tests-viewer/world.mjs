// A made-up project and a day of work in it: what hooks of real agents would have sent. Sessions that ended and one that
// goes on, a subagent, a failing test, a rule that refuses, two sessions at one file, and things worth remembering.

import { join } from "node:path";

import { lay } from "./code.mjs";
import { eventually } from "./house.mjs";

export const SESSIONS = {
  fix: "5b0c1f6e-7d1a-4c0e-9a57-2f6f3f8f9c01",
  list: "9e2d7a44-31c8-4d55-8b1f-6c1d7a9e1002",
  docs: "c47f2b90-5a6e-4f6c-a3d8-0d2f6b6f2a03",
  codex: "01a1e35f-2b6c-7000-8000-5d0d9d6e1c04",
};

const FILES = {
  "README.md": "# tidewater\n\nBerths, tides and bookings of a small harbor.\n",
  "src/booking.rs": "pub fn book(berth: u32, from: Day, until: Day) -> Result<Booking> { todo() }\n",
  "src/tides.rs": "pub fn high_water(day: Day) -> Time { table().lookup(day) }\n",
  "src/waiting_list.rs": "pub struct WaitingList { entries: Vec<Entry> }\n",
  "src/db/berths.rs": "pub const LOCK: &str = \"select id from berths where id = $1 for update\";\n",
  "src/web/routes.rs": "pub fn routes() -> Router { Router::new() }\n",
  "src/web/templates/week.html": "<table></table>\n",
  "tests/booking.rs": "#[test] fn two_boats_never_share_a_berth() {}\n",
  "migrations/0007_waiting_list.sql": "create table waiting_list (id bigserial primary key);\n",
  "docs/operations.md": "# Operations\n",
};

const MEMORIES = [
  ["Booking takes the berth's row lock first", "Two requests for one berth raced because availability was read before the row was locked. `book` locks the berth with `select … for update`, then reads.", "decision", ["src/db/berths.rs", "src/booking.rs"], { pinned: true }],
  ["The tide table ends in March", "High water is looked up in a table that is delivered once a year. After 31 March `high_water` fails; the new file comes from the harbor office.", "discovery", ["src/tides.rs"], { critical: true }],
  ["Staging sends no mail", "Mail on staging goes to a file, `var/outbox`. Look there before you think that the waiting list is broken.", "note", [], {}],
  ["Migrations run before the deploy", "`deploy` runs migrations and then restarts. A migration must work with the old code, too: add first, remove a release later.", "decision", ["migrations/0007_waiting_list.sql"], {}],
  ["Day arithmetic is in harbor time", "A night belongs to the day on which the boat arrives, in the harbor's time zone. UTC moved bookings by one day in summer.", "discovery", ["src/booking.rs"], {}],
  ["Snapshot tests of the week table are slow", "Rendering all berths takes 4 s. Run `cargo test --test week -- berth_3` while you work on it.", "note", ["src/web/templates/week.html"], {}],
  ["Retrying a payment charged twice", "The payment client retried without the idempotency key. It is the booking's id now; never retry without it.", "failure", ["src/web/routes.rs"], {}],
];

export function session(house, id, more = {}) {
  return { session_id: id, transcript_path: join(house.home, `${id}.jsonl`), cwd: house.project, ...more };
}

const say = (base, prompt) => ({ ...base, hook_event_name: "UserPromptSubmit", prompt });
const begin = (base) => ({ ...base, hook_event_name: "SessionStart", source: "startup", model: "model-5" });
const finish = (base, words) => ({ ...base, hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: words });
const end = (base) => ({ ...base, hook_event_name: "SessionEnd", reason: "prompt_input_exit" });

let calls = 0;

/** A call of a tool, before and after it. */
export function used(base, tool, input, response, more = {}) {
  calls += 1;
  const call = { ...base, tool_name: tool, tool_input: input, tool_use_id: `toolu_${calls}`, ...more };
  return [
    { ...call, hook_event_name: "PreToolUse" },
    { ...call, hook_event_name: "PostToolUse", tool_response: response, duration_ms: 40 + ((calls * 37) % 900) },
  ];
}

const ran = (base, command, stdout, more) => used(base, "Bash", { command }, { stdout, stderr: "", interrupted: false }, more);
const read = (house, base, file, more) =>
  used(base, "Read", { file_path: join(house.project, file) }, { type: "text", file: { filePath: join(house.project, file), content: FILES[file] ?? "", numLines: 1, startLine: 1, totalLines: 1 } }, more);
const edited = (house, base, file, from, into, more) =>
  used(base, "Edit", { file_path: join(house.project, file), old_string: from, new_string: into }, { filePath: join(house.project, file), oldString: from, newString: into, userModified: false }, more);

function failed(base, command, error) {
  calls += 1;
  return [
    { ...base, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, tool_use_id: `toolu_${calls}` },
    { ...base, hook_event_name: "PostToolUseFailure", tool_name: "Bash", tool_input: { command }, tool_use_id: `toolu_${calls}`, error, is_interrupt: false, duration_ms: 2140 },
  ];
}

/** The day, session by session. */
function story(house) {
  const fix = session(house, SESSIONS.fix);
  const list = session(house, SESSIONS.list);
  const docs = session(house, SESSIONS.docs);
  const inside = { agent_id: "a44b10ed607470b03", agent_type: "Explore" };
  return [
    begin(fix),
    say(fix, "Two boats got berth 12 for the same night. Find out why and make it impossible."),
    ...read(house, fix, "src/booking.rs"),
    ...ran(fix, "cargo test --test booking", "running 14 tests\ntest two_boats_never_share_a_berth ... ok\n"),
    ...failed(fix, "cargo test --test booking -- race", "Exit code 101\nthread 'race' panicked: assertion failed: both requests got berth 12"),
    ...read(house, fix, "src/db/berths.rs"),
    ...edited(house, fix, "src/booking.rs", "let free = berths.free(day)?;", "let berth = berths.lock(id)?;\n    let free = berth.free(day)?;"),
    ...ran(fix, "cargo test --test booking -- race", "test race ... ok\n\ntest result: ok. 15 passed; 0 failed"),
    finish(fix, "The race is gone: the berth's row is locked before availability is read, and a test with two requests at once proves it."),
    end(fix),
    begin(list),
    say(list, "Add a waiting list: whoever finds no berth can wait for one, and is told when a booking is canceled."),
    { ...list, hook_event_name: "SubagentStart", ...inside },
    ...used(list, "Grep", { pattern: "fn cancel", path: house.project }, { mode: "files_with_matches", filenames: ["src/booking.rs"], numFiles: 1 }, inside),
    ...read(house, list, "src/web/routes.rs", inside),
    { ...list, hook_event_name: "SubagentStop", ...inside, stop_hook_active: false, last_assistant_message: "Cancellation happens in `booking::cancel`; nobody is told about it yet." },
    ...used(list, "Write", { file_path: join(house.project, "migrations/0007_waiting_list.sql"), content: FILES["migrations/0007_waiting_list.sql"] }, { type: "create", filePath: join(house.project, "migrations/0007_waiting_list.sql") }),
    ...edited(house, list, "src/waiting_list.rs", "entries: Vec<Entry>", "entries: BTreeMap<Day, Vec<Entry>>"),
    ...edited(house, list, "src/booking.rs", "fn cancel(", "pub fn cancel("),
    ...ran(list, "cargo check", "    Finished `dev` profile in 3.1s"),
    finish(list, "The table and the type are there. Next: tell the first in the list when a booking is canceled."),
    say(list, "Good. How does staging send mail?"),
    begin(docs),
    say(docs, "Write down how a deploy works, for whoever is on call."),
    ...read(house, docs, "docs/operations.md"),
    ...edited(house, docs, "docs/operations.md", "# Operations", "# Operations\n\nMigrations run first."),
    // The other session holds this file.
    ...edited(house, docs, "src/booking.rs", "//! Bookings", "//! Bookings: a berth, a boat, some nights."),
  ];
}

/** What another agent did in the same project. */
function elsewhere(house) {
  const base = { session_id: SESSIONS.codex, turn_id: "turn-1", transcript_path: join(house.home, ".codex/sessions/rollout.jsonl"), cwd: house.project, model: "gpt-5.5", permission_mode: "default" };
  return [
    { ...base, hook_event_name: "SessionStart", source: "startup" },
    { ...base, hook_event_name: "UserPromptSubmit", prompt: "Why does the tide table fail for the first of April?" },
    ...ran(base, "grep -c . data/tides.csv", "1204"),
    { ...base, hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "The table ends on 31 March; the new year's file is missing." },
  ];
}

/** Lives the day; when it returns all of it is learned. */
export async function live(house) {
  await lay(house);
  await house.refuse("push --force", "We do not rewrite history here.");
  await house.start();
  for (const [title, text, kind, files, more] of MEMORIES) {
    await house.ask("POST", "/api/v1/memories", { title, text, kind, files: files.map((file) => join(house.project, file)), project: "tidewater", ...more });
  }
  for (const call of story(house)) await house.hook(call);
  for (const call of elsewhere(house)) await house.hook(call, "codex");
  const push = { ...session(house, SESSIONS.list), hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "git push --force origin tides" }, tool_use_id: "toolu_push" };
  // A rule has a deadline, and a busy machine may miss it: then it says nothing and is asked again.
  await eventually("the rule refuses", async () => JSON.stringify(await house.hook(push))?.includes("rewrite history"));
  await eventually("the day is learned", async () => {
    const found = await house.get(`/api/v1/sessions/${SESSIONS.docs}`);
    return found.tools >= 3;
  });
}
