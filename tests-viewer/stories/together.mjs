// Agents that work together: a pattern appears as it begins, shows who is at work and who hands over to whom, keeps votes
// sealed until all are in, and says what came of it.

import { barriers, visit } from "../browser.mjs";
import { eventually } from "../house.mjs";
import { session } from "../world.mjs";

const TYPE = "general-purpose";

/** What the client tells of one agent, from its task to its answer. */
function agentOf(base, number, prompt) {
  const [call, id] = [`toolu_pattern_${number}`, `apattern${number}`];
  const tool = { tool_name: "Agent", tool_input: { description: "a part", prompt, subagent_type: TYPE }, tool_use_id: call };
  const agent = { agent_id: id, agent_type: TYPE };
  return {
    begin: [
      { ...base, ...tool, hook_event_name: "PreToolUse" },
      { ...base, ...agent, hook_event_name: "SubagentStart" },
    ],
    end: (said) => [
      { ...base, ...agent, hook_event_name: "SubagentStop", stop_hook_active: false, last_assistant_message: said },
      { ...base, ...tool, hook_event_name: "PostToolUse", tool_response: { status: "completed", agentId: id, content: [{ type: "text", text: said }] } },
    ],
  };
}

async function tell(house, envelopes) {
  let said = null;
  for (const envelope of envelopes) said = (await house.hook(envelope)) ?? said;
  return said?.hookSpecificOutput?.additionalContext ?? "";
}

/** So many of them are drawn, a moment later at most. */
const drawn = (place, mark, count) => eventually(`${count} × ${mark}`, async () => (await place.locator(mark).count()) === count);
const reads = (page, text) => eventually(text, () => page.evaluate((text) => document.body.innerText.includes(text), text));

/** A house of its own: what others did there is not looked at. */
const quiet = (house) => house.start();

export async function agents_together(checks, world) {
  const house = await world.house(quiet);
  const { page } = await world.person(house);
  const base = session(house, "6f3f8f9c-0000-4000-8000-0000together");
  await house.hook({ ...base, hook_event_name: "SessionStart", source: "startup" });
  await visit(page, "patterns");

  const jurors = [1, 2].map((n) => agentOf(base, n, `[pattern:jury id=harbor-review n=${n} of=2] Is the lock right?`));
  for (const juror of jurors) await tell(house, juror.begin);
  await reads(page, "harbor-review");
  await reads(page, "0 of 2 are in");
  checks.that("a pattern appears while its agents are at work", await drawn(page, ".pattern-out", 2));

  await tell(house, jurors[0].end('Fine.\n{"vote":"approve","why":"SEALED-WORDS"}'));
  await reads(page, "1 of 2 are in");
  checks.that("a vote stays sealed", !(await page.content()).includes("SEALED-WORDS"));
  const verdict = await tell(house, jurors[1].end('No.\n{"vote":"reject","why":"the lock is late"}'));
  checks.that("the coordinator is told", verdict.includes("tie, 1 for and 1 against"), verdict);
  await reads(page, "SEALED-WORDS");
  checks.that("then it is shown, and what came of it", (await page.content()).includes("the lock is late") && (await drawn(page, ".pattern-done", 2)));

  const stages = ["plan", "dig"].map((stage, n) => agentOf(base, n + 3, `[pattern:pipeline id=canal stages=plan,dig stage=${stage}] Do it.`));
  await tell(house, stages[0].begin);
  await tell(house, stages[0].end('Dig north.\n{"status":"ok","summary":"north"}'));
  const brief = await tell(house, stages[1].begin);
  checks.that("the second stage is given the first one's answer", brief.includes("> Dig north."), brief);
  await reads(page, "stage 2 of 2 (dig)");
  const picture = page.locator('article[aria-label="pipeline canal"]');
  checks.that("the hand-over is drawn", (await drawn(picture, ".pattern-out", 1)) && (await drawn(picture, ".pattern-line-done", 1)));
  checks.nothing("nothing stands in anybody's way", await barriers(page));
}
