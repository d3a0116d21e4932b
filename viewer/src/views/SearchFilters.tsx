// What narrows a search. All of it is in the address, so a search can be kept and gone back to.

import type { TargetedInputEvent } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { refine } from "../router";
import { Chips, Select } from "../parts/Field";
import { Icon } from "../parts/Kind";

export const KINDS = [
  "bugfix",
  "feature",
  "refactor",
  "change",
  "discovery",
  "decision",
  "failure",
  "security",
  "summary",
  "learning",
  "prompt",
  "note",
  "incident",
  "chunk",
  "document",
] as const;

const PAUSE_MS = 250;

/** A day as the person's calendar has it: from its first to its last millisecond. */
export function moment(day: string, isEnd: boolean): number {
  return new Date(`${day}T${isEnd ? "23:59:59.999" : "00:00:00"}`).getTime();
}

export function SearchFilters({ fields, projects }: { fields: URLSearchParams; projects: readonly string[] }) {
  const kinds = new Set((fields.get("kind") ?? "").split(",").filter((kind) => kind !== ""));
  const hidden = ["kind", "file", "session", "since", "until"].filter((name) => fields.get(name)).length;
  const [open, setOpen] = useState(hidden > 0);
  const panel = useId();
  const project = fields.get("project") ?? "";
  const names = project !== "" && !projects.includes(project) ? [project, ...projects] : projects;
  return (
    <div class="search-filters">
      <div class="search-filter-row">
        <Select
          label="Project"
          value={project}
          choices={[{ value: "", label: "All projects" }, ...names.map((name) => ({ value: name, label: name }))]}
          change={(value) => refine({ project: value })}
        />
        <button type="button" class="button" aria-expanded={open} aria-controls={panel} onClick={() => setOpen(!open)}>
          <Icon name="settings" size={14} />
          Filters{hidden > 0 ? ` (${hidden})` : ""}
        </button>
        {hidden > 0 || project !== "" ? (
          <button
            type="button"
            class="button button-plain"
            onClick={() => refine({ project: null, kind: null, file: null, session: null, since: null, until: null })}
          >
            Clear
          </button>
        ) : null}
      </div>
      <div id={panel} class="search-panel" hidden={!open}>
        <Chips
          label="Kinds"
          choices={KINDS.map((kind) => ({ value: kind, label: kind }))}
          on={kinds}
          change={(on) => refine({ kind: [...on].join(",") })}
        />
        <div class="search-fields">
          <Written name="file" label="File" placeholder="src/login.rs" value={fields.get("file") ?? ""} />
          <Written name="session" label="Session" placeholder="its id" value={fields.get("session") ?? ""} />
          <Written name="since" label="From" type="date" value={fields.get("since") ?? ""} />
          <Written name="until" label="To" type="date" value={fields.get("until") ?? ""} />
        </div>
      </div>
    </div>
  );
}

interface WrittenProps {
  name: string;
  label: string;
  value: string;
  placeholder?: string;
  type?: "text" | "date";
}

/** A field of a filter that is written, and kept in the address. */
export function Written({ name, label, value, placeholder, type = "text" }: WrittenProps) {
  const id = useId();
  const pause = useRef(0);
  const attributes = {
    id,
    class: "input",
    placeholder,
    autocomplete: "off",
    spellcheck: false,
    value,
    onInput: (event: TargetedInputEvent<HTMLInputElement>) => {
      const next = event.currentTarget.value.trim();
      window.clearTimeout(pause.current);
      pause.current = window.setTimeout(() => refine({ [name]: next }), type === "date" ? 0 : PAUSE_MS);
    },
  };
  return (
    <span class="labeled">
      <label for={id}>{label}</label>
      {type === "date" ? <input type="date" {...attributes} /> : <input type="text" {...attributes} />}
    </span>
  );
}
