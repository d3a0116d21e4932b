// Weeks of work before the day of `world.mjs`, as transcripts that `throughline backfill` takes in: lists have an order,
// the map has old and new places, charts have more than one column.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Between two lines of a transcript. */
const STEP = 40_000;

/** Days ago, what was asked, the files that were changed, the test that failed first and then held, what was said last. */
const WORK = [
  [24, "Set up the booking table and its first tests.", ["src/booking.rs", "tests/booking.rs"], "cargo test --test booking", "Bookings are kept; overlapping ones are refused."],
  [22, "Read the tide table from the harbor office's file.", ["src/tides.rs"], "cargo test --test tides", "High water comes from the file, in harbor time."],
  [19, "The week view is slow with forty berths.", ["src/web/templates/week.html", "src/web/routes.rs"], "cargo bench --bench week", "One query instead of forty: 4 s became 90 ms."],
  [17, "Boats from abroad have no number. Let them book by name.", ["src/booking.rs", "src/db/berths.rs"], null, "A name is enough; numbers are checked only where there is one."],
  [16, "Move payments into a module of their own.", ["src/web/routes.rs", "src/payments.rs"], "cargo test --test payments", "Payments are apart; routes know only `charge` and `refund`."],
  [12, "A guest was charged twice. Why?", ["src/payments.rs"], "cargo test --test payments -- retry", "The retry had no idempotency key; now it is the booking's id."],
  [10, "Send a mail the evening before arrival.", ["src/mail.rs", "migrations/0006_reminders.sql"], null, "Reminders go out at six, harbor time."],
  [9, "Berth 7 is closed for dredging in spring.", ["src/db/berths.rs", "docs/operations.md"], null, "Berths can be closed for some days."],
  [6, "Summer time moved three bookings by a day.", ["src/booking.rs", "tests/booking.rs"], "cargo test --test booking -- summer", "A night belongs to the day of arrival in harbor time."],
  [5, "Show the tide beside each arrival.", ["src/web/templates/week.html", "src/tides.rs"], "cargo test --test week", "Every arrival shows the next high water."],
  [4, "Write the migration for closed berths so that the old code still runs.", ["migrations/0006_closed.sql"], "cargo test --test migrations", "Add first, remove a release later."],
  [3, "The health check says nothing about the tide file.", ["src/web/routes.rs", "src/tides.rs"], null, "It warns a month before the table ends."],
  [2, "Refunds take the fee into account.", ["src/payments.rs", "tests/payments.rs"], "cargo test --test payments -- fee", "The fee is kept unless we cancel."],
  [1, "Make the berth map readable on a phone.", ["src/web/templates/map.html", "src/web/routes.rs"], null, "Berths are a list below 600 pixels."],
];

function transcript(house, number, [days, asked, files, command, said]) {
  const session = `7a1d${String(number).padStart(4, "0")}-4c1e-4b7a-9d55-3e8f60c2a9${String(number).padStart(2, "0")}`;
  // On working hours, whenever the pictures are taken.
  let at = Math.floor(Date.now() / DAY) * DAY - days * DAY + 9 * HOUR + (number % 5) * HOUR;
  let lines = 0;
  const written = [];
  const line = (type, message, more = {}) => {
    const id = `${session.slice(0, 24)}${String((lines += 1)).padStart(12, "0")}`;
    const common = { isSidechain: false, userType: "external", entrypoint: "cli", cwd: house.project, sessionId: session, version: "2.1.325", gitBranch: "main" };
    written.push(JSON.stringify({ ...common, type, message, uuid: id, timestamp: new Date((at += STEP)).toISOString(), ...more }));
  };
  const speak = (content, stop) => line("assistant", { id: `msg_${number}_${lines}`, type: "message", role: "assistant", model: "model-5", content, stop_reason: stop });
  const use = (name, input, result, isError = false) => {
    const id = `toolu_past_${number}_${lines}`;
    speak([{ type: "tool_use", id, name, input }], "tool_use");
    line("user", { role: "user", content: [{ tool_use_id: id, type: "tool_result", content: result, is_error: isError }] }, { toolUseResult: isError ? `Error: ${result}` : { stdout: result, stderr: "", interrupted: false } });
  };
  line("user", { role: "user", content: asked }, { promptId: `p-${number}` });
  for (const file of files) {
    const path = join(house.project, file);
    use("Read", { file_path: path }, `1\t// ${file}\n`);
    if (command && file === files[0]) use("Bash", { command }, `Exit code 101\nthread 'main' panicked at ${file}: assertion failed`, true);
    use("Edit", { file_path: path, old_string: `// ${file}`, new_string: `// ${file}\n${said}` }, `The file ${path} has been updated.`);
  }
  if (command) use("Bash", { command }, "test result: ok. 12 passed; 0 failed");
  speak([{ type: "text", text: said }], "end_turn");
  return [session, `${written.join("\n")}\n`];
}

/** Lives the weeks before; when it returns they are taken in. */
export async function remember(house) {
  const folder = await house.folder(".claude/projects", house.project.replaceAll(/[^A-Za-z0-9]/g, "-"));
  for (const [number, work] of WORK.entries()) {
    const [session, text] = transcript(house, number, work);
    await writeFile(join(folder, `${session}.jsonl`), text);
  }
  return house.run("backfill");
}
