// The end of the daemon's log. Holds ids, sizes and reasons; what agents wrote is never in it.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAnswer } from "../state";
import { Trouble, Waiting } from "../parts/Empty";
import { SearchField } from "../parts/Field";
import { Segments } from "../parts/Segments";
import { clock, day } from "../parts/Time";

interface Line {
  at?: number | null;
  level?: string | null;
  text: string;
}

const LINES = 500;

const LEVELS = [
  { value: "all", label: "All" },
  { value: "warn", label: "Warnings" },
  { value: "error", label: "Errors" },
];

/** How much a level says; what has none is said always. */
const RANK: Record<string, number> = { trace: 0, debug: 1, info: 2, warn: 3, error: 4 };

export function HealthLog() {
  const answer = useAnswer<{ lines: Line[] }>("/logs", { lines: LINES });
  const [least, setLeast] = useState("all");
  const [text, setText] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => {
    const wanted = text.toLowerCase();
    return (answer.data?.lines ?? []).filter(
      (line) => (least === "all" || rank(line) >= (RANK[least] ?? 0)) && line.text.toLowerCase().includes(wanted),
    );
  }, [answer.data, least, text]);
  // The newest line is at the end; that is where a log is read from.
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  return (
    <section class="log" aria-label="Log">
      <header class="log-head">
        <h2 class="section-title">The daemon's log</h2>
        <Segments label="Level" value={least} choices={LEVELS} change={setLeast} />
        <SearchField label="Search in the log" value={text} change={setText} />
        <button type="button" class="button" onClick={answer.reload}>
          Read again
        </button>
      </header>
      {answer.error !== undefined && answer.data === undefined ? (
        <Trouble error={answer.error} retry={answer.reload} />
      ) : answer.data === undefined ? (
        <Waiting rows={6} />
      ) : (
        <div class="log-lines" ref={box} tabIndex={0} role="log" aria-label="Lines of the log, newest last">
          {lines.length === 0 ? (
            <p class="faint">
              {answer.data.lines.length === 0 ? "The log is empty." : "No such line among the last ones."}
            </p>
          ) : (
            lines.map((line, index) => (
              <p key={index} class={`log-line log-${(line.level ?? "info").toLowerCase()}`}>
                {line.at ? (
                  <time class="log-at" dateTime={new Date(line.at).toISOString()}>
                    {day(line.at)} {clock(line.at)}
                  </time>
                ) : null}
                <span class="log-level">{(line.level ?? "").toUpperCase()}</span>
                <span class="log-text">{line.text}</span>
              </p>
            ))
          )}
        </div>
      )}
    </section>
  );
}

function rank(line: Line): number {
  return RANK[(line.level ?? "").toLowerCase()] ?? 5;
}
