// How the code of a workspace hangs together: which folder uses which, down to files and what they define.

import { useEffect, useState } from "preact/hooks";
import { segment } from "../api";
import { place, refine } from "../router";
import { useAnswer } from "../state";
import type { Drawn, Workspace } from "../types";
import { Crumbs, type Step, workspaceName } from "../parts/Crumbs";
import { Empty, Trouble, Waiting } from "../parts/Empty";
import { ModuleGraph } from "../parts/ModuleGraph";
import { usedBy, uses } from "../parts/ModuleLines";
import { Segments } from "../parts/Segments";
import { count, many } from "../parts/Time";
import { MapModulesAside } from "./MapModulesAside";

const UNITS = [
  { value: "folders", label: "Folders" },
  { value: "files", label: "Files" },
];

const SIZES = [
  { value: "fit", label: "Fit" },
  { value: "full", label: "Full size" },
];

/** Beside the choice of the workspace. */
export function ModuleChoices() {
  const query = place.value.query;
  return (
    <>
      <Segments
        label="Boxes are"
        value={query.get("unit") === "files" ? "files" : "folders"}
        choices={UNITS}
        change={(value) => refine({ unit: value === "files" ? value : null, file: null })}
      />
      <Segments
        label="Size"
        value={query.get("size") === "full" ? "full" : "fit"}
        choices={SIZES}
        change={(value) => refine({ size: value === "full" ? value : null })}
      />
    </>
  );
}

export function MapModules({ workspace }: { workspace: Workspace }) {
  const query = place.value.query;
  const at = query.get("at") ?? "";
  const files = query.get("unit") === "files";
  const file = query.get("file");
  const asked = { under: at || undefined, files: files || undefined };
  const answer = useAnswer<Drawn>(`/workspaces/${segment(workspace.key)}/code/modules`, asked);
  const [picked, setPicked] = useState<number | null>(null);
  useEffect(() => setPicked(null), [answer.data]);

  if (answer.error !== undefined && answer.data === undefined) {
    return <Trouble error={answer.error} retry={answer.reload} />;
  }
  const drawn = answer.data;
  if (drawn === undefined) return <Waiting rows={8} />;
  const path = (index: number): string => join(at, drawn.boxes[index]?.name ?? "");
  // What is in a folder is shown next; of a file, what it defines.
  const open = (index: number): void => {
    const box = drawn.boxes[index];
    setPicked(index);
    if (box === undefined || box.name === OTHERS) return;
    if (files && box.of === 1) refine({ file: path(index) });
    else if (box.name === ".") refine({ unit: "files", file: null });
    else refine({ at: path(index), unit: files || box.of === 1 ? "files" : null, file: null });
  };
  const leave = (): void => {
    if (file !== null) refine({ file: null });
    else if (at !== "") refine({ at: at.includes("/") ? at.slice(0, at.lastIndexOf("/")) : null, file: null });
  };
  const describe = (index: number): string => {
    const box = drawn.boxes[index];
    if (box === undefined) return "";
    const [using, used] = [uses(drawn, index), usedBy(drawn, index)];
    return (
      `${box.name}, ${many(box.files, "file")}, ${count(box.lines)} lines` +
      `${box.circular ? ", in a circle" : ""}, uses ${names(drawn, using)}, used by ${names(drawn, used)}`
    );
  };

  return (
    <div class="map">
      <div class="map-main">
        <Crumbs
          steps={steps(at, workspaceName(workspace))}
          go={(to) => refine({ at: to || null, unit: null, file: null })}
        />
        {drawn.boxes.length === 0 ? (
          <Empty icon="map" title="No code is on the map here">
            <p>Only sources of languages that are read are drawn; what git ignores is not.</p>
          </Empty>
        ) : (
          <ModuleGraph
            label={files ? "Files and which uses which" : "Folders and which uses which"}
            drawn={drawn}
            fits={query.get("size") !== "full"}
            picked={picked}
            describe={describe}
            onPick={setPicked}
            onOpen={open}
            onLeave={leave}
          />
        )}
        <ul class="map-legend" aria-label="Lines">
          <Key class="" label="uses what is below" />
          <Key class="modules-implied" label="also reached over others" />
          <Key class="modules-circular" label="in a circle" />
        </ul>
        <p class="faint map-note">
          As high as its lines of code.
          {drawn.modules > drawn.boxes.length ? ` ${count(drawn.modules)} are drawn as ${count(drawn.boxes.length)}.` : ""}
        </p>
      </div>
      <MapModulesAside workspace={workspace} drawn={drawn} at={at} picked={picked} file={file} open={open} />
    </div>
  );
}

/** What the daemon calls the box of all that had no room. */
const OTHERS = "…";

function Key({ class: name, label }: { class: string; label: string }) {
  return (
    <li>
      <svg width={22} height={8} aria-hidden="true">
        <path class={`modules-line ${name}`} d="M0 4H22" style={{ strokeWidth: 2 }} />
      </svg>
      {label}
    </li>
  );
}

function names(drawn: Drawn, indices: readonly number[]): string {
  const known = indices.map((index) => drawn.boxes[index]?.name ?? "");
  return known.length === 0 ? "nothing" : known.join(", ");
}

function steps(at: string, workspace: string): Step[] {
  const parts = at === "" ? [] : at.split("/");
  return [
    { label: workspace, path: "" },
    ...parts.map((label, index) => ({ label, path: parts.slice(0, index + 1).join("/") })),
  ];
}

function join(at: string, name: string): string {
  if (name === "." || name === "") return at;
  return at === "" ? name : `${at}/${name}`;
}
