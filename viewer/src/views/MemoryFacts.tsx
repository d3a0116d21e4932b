// Where a memory comes from, so that a person can go and look: who wrote it, on what evidence, what it cost and was worth.

import { useState } from "preact/hooks";
import { segment } from "../api";
import { to } from "../router";
import { useAnswer } from "../state";
import type { EventWhole, Page, Workspace } from "../types";
import { shortId } from "../parts/Badge";
import { Trouble, Waiting } from "../parts/Empty";
import { Fact } from "../parts/Field";
import { Ago, count, many } from "../parts/Time";
import type { MemoryWhole } from "./Memory";
import { ORIGINS } from "./SearchHit";

export function MemoryFacts({ memory }: { memory: MemoryWhole }) {
  const { evidence, files_modified: modified = [], files_read: read = [] } = memory;
  // Who says something names files; only work reads them.
  const isSaid = memory.written_by === "person" || memory.written_by === "agent" || memory.written_by === "import";
  const onlyRead = read.filter((file) => !modified.includes(file));
  const workspaces = useAnswer<Page<Workspace>>("/workspaces", { limit: 200 }).data?.items ?? [];
  const shown = (file: string): string => inside(file, workspaces);
  return (
    <aside class="memory-side" aria-label="Where it comes from">
      <section>
        <h2 class="section-title">Where it comes from</h2>
        <dl class="facts">
          <Fact name="Written by">{author(memory.written_by)}</Fact>
          {memory.origin ? <Fact name="Words">{ORIGINS[memory.origin] ?? memory.origin}</Fact> : null}
          {memory.session ? (
            <Fact name="Session">
              <a class="link mono" href={to("sessions", memory.session)}>
                {shortId(memory.session)}
              </a>
            </Fact>
          ) : null}
          {memory.branch ? <Fact name="Branch">{memory.branch}</Fact> : null}
          {memory.place ? <Fact name="Place">{memory.place}</Fact> : null}
          {memory.tools && memory.tools.length > 0 ? <Fact name="Tools">{memory.tools.join(", ")}</Fact> : null}
          <Fact name="Id">
            <code>{memory.id}</code>
          </Fact>
          {memory.external_id ? <Fact name="Id elsewhere">{memory.external_id}</Fact> : null}
        </dl>
      </section>
      <section>
        <h2 class="section-title">What it is worth</h2>
        <dl class="facts">
          <Fact name="Told">{memory.injected === undefined ? "–" : many(memory.injected, "time")}</Fact>
          <Fact name="Of use">{many(memory.hits ?? 0, "time")}</Fact>
          {memory.prevented ? <Fact name="Prevented">{many(memory.prevented, "mistake")}</Fact> : null}
          {memory.last_applied_at ? (
            <Fact name="Last of use">
              <Ago at={memory.last_applied_at} />
            </Fact>
          ) : null}
          {memory.repeats ? <Fact name="Said again">{many(memory.repeats, "time")}</Fact> : null}
          <Fact name="Tokens">
            {count(memory.tokens)}
            {memory.raw_tokens && memory.raw_tokens > memory.tokens ? <span class="faint"> for {count(memory.raw_tokens)} of work</span> : null}
          </Fact>
        </dl>
      </section>
      {modified.length + onlyRead.length > 0 ? (
        <section>
          <h2 class="section-title">Files</h2>
          <ul class="memory-files">
            {modified.map((file) => (
              <FileLink key={file} file={file} shown={shown(file)} says="changed" />
            ))}
            {onlyRead.map((file) => (
              <FileLink key={file} file={file} shown={shown(file)} says={isSaid ? "about" : "read"} />
            ))}
          </ul>
        </section>
      ) : null}
      {evidence && evidence.length > 0 ? (
        <section>
          <h2 class="section-title">Evidence</h2>
          <ul class="memory-evidence">
            {evidence.map((event) => (
              <Evidence key={event} id={event} />
            ))}
          </ul>
        </section>
      ) : null}
    </aside>
  );
}

/** The file's other memories are one click away. */
function FileLink({ file, shown, says }: { file: string; shown: string; says: string }) {
  return (
    <li>
      <a class="mono" href={to("memories", null, { file })} title={`${file}: what else is remembered of it`}>
        {shown}
      </a>
      <span class="faint">{says}</span>
    </li>
  );
}

function Evidence({ id }: { id: string }) {
  const [open, setOpen] = useState(false);
  const answer = useAnswer<EventWhole>(open ? `/events/${segment(id)}` : null);
  return (
    <li>
      <button type="button" class="evidence-button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <code>{id}</code>
      </button>
      {open ? (
        answer.error !== undefined ? (
          <Trouble error={answer.error} />
        ) : answer.data === undefined ? (
          <Waiting rows={2} />
        ) : (
          <>
            <p class="faint">
              {answer.data.kind}
              {answer.data.tool ? ` · ${answer.data.tool}` : ""} · <Ago at={answer.data.at} />
            </p>
            <pre class="text-block evidence-text" tabIndex={0}>
              {JSON.stringify(answer.data.envelope, null, 2)}
            </pre>
          </>
        )
      ) : null}
    </li>
  );
}

/** From the workspace on, where it is in one. */
function inside(file: string, workspaces: readonly Workspace[]): string {
  const roots = workspaces.map((one) => `${one.root}/`).filter((root) => file.startsWith(root));
  const longest = roots.reduce((best, root) => (root.length > best.length ? root : best), "");
  return file.slice(longest.length);
}

const AUTHORS: Record<string, string> = {
  person: "a person",
  agent: "an agent, on request",
  import: "an import",
  transcript: "a conversation",
};

function author(name: string | null | undefined): string {
  if (!name) return "not known";
  if (name.startsWith("extractive/")) return `throughline, without a model (${name})`;
  return AUTHORS[name] ?? name;
}
