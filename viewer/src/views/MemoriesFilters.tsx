// What narrows and orders the list of memories; all of it is in the address.

import { useId, useState } from "preact/hooks";
import { refine } from "../router";
import { Chips, SearchField, Select } from "../parts/Field";
import { Icon } from "../parts/Kind";
import { KINDS, Written } from "./SearchFilters";

const ORDERS = [
  { value: "newest", label: "Newest first" },
  { value: "oldest", label: "Oldest first" },
  { value: "used", label: "Most used first" },
];

const AUTHORS = [
  { value: "", label: "Anybody" },
  { value: "person", label: "A person" },
  { value: "agent", label: "An agent, on request" },
  { value: "extractive", label: "throughline, without a model" },
  { value: "import", label: "An import" },
];

const MARKS = [
  { value: "pinned", label: "Pinned" },
  { value: "critical", label: "Critical" },
];

export function MemoriesFilters({ fields, projects }: { fields: URLSearchParams; projects: readonly string[] }) {
  const kinds = new Set((fields.get("kind") ?? "").split(",").filter((kind) => kind !== ""));
  const marks = new Set(MARKS.map((mark) => mark.value).filter((name) => fields.get(name)));
  const hidden = ["kind", "since", "until", "written_by"].filter((name) => fields.get(name)).length;
  const [open, setOpen] = useState(hidden > 0);
  const panel = useId();
  const project = fields.get("project") ?? "";
  const session = fields.get("session");
  const names = project !== "" && !projects.includes(project) ? [project, ...projects] : projects;
  return (
    <div class="filters memories-filters">
      <Select
        label="Project"
        value={project}
        choices={[{ value: "", label: "All projects" }, ...names.map((name) => ({ value: name, label: name }))]}
        change={(value) => refine({ project: value })}
      />
      <Select
        label="Order"
        value={fields.get("order") ?? "newest"}
        choices={ORDERS}
        change={(value) => refine({ order: value })}
      />
      <SearchField
        label="File"
        placeholder="Touched this file"
        value={fields.get("file") ?? ""}
        change={(value) => refine({ file: value.trim() })}
      />
      <Chips
        label="Only"
        choices={MARKS}
        on={marks}
        change={(on) => refine({ pinned: on.has("pinned") ? "1" : null, critical: on.has("critical") ? "1" : null })}
      />
      <button type="button" class="button" aria-expanded={open} aria-controls={panel} onClick={() => setOpen(!open)}>
        <Icon name="settings" size={14} />
        Filters{hidden > 0 ? ` (${hidden})` : ""}
      </button>
      {session ? (
        <button type="button" class="chip" aria-pressed="true" onClick={() => refine({ session: null })}>
          of session {session.slice(0, 8)}
          <Icon name="close" size={12} label="show all sessions" />
        </button>
      ) : null}
      <div id={panel} class="memories-kinds" hidden={!open}>
        <Chips
          label="Kinds"
          choices={KINDS.map((kind) => ({ value: kind, label: kind }))}
          on={kinds}
          change={(on) => refine({ kind: [...on].join(",") })}
        />
        <div class="memories-fields">
          <Select
            label="Written by"
            shown
            value={fields.get("written_by") ?? ""}
            choices={AUTHORS}
            change={(value) => refine({ written_by: value })}
          />
          <Written name="since" label="From" type="date" value={fields.get("since") ?? ""} />
          <Written name="until" label="To" type="date" value={fields.get("until") ?? ""} />
        </div>
      </div>
    </div>
  );
}
