// Which folders and files the work is in, how lately, and whose. The table beside it says the same to those who do not see
// the picture.

import { useEffect, useMemo, useState } from "preact/hooks";
import { segment } from "../api";
import { go, place, refine, to } from "../router";
import { now, useAnswer } from "../state";
import type { Page, Session, Workspace } from "../types";
import { Empty, Trouble, Waiting } from "../parts/Empty";
import { Crumbs, type Step, workspaceName } from "../parts/Crumbs";
import { Segments } from "../parts/Segments";
import { ago, many } from "../parts/Time";
import { Treemap } from "../parts/Treemap";
import { type Place, type TouchedFile, find, tree } from "../parts/TreemapLayout";
import { MapAside, MapLegend } from "./MapAside";
import { ages, people } from "./MapColors";

interface Picture {
  root?: string;
  nodes: TouchedFile[];
  /** Whether something is left out. */
  cut?: boolean | null;
  /** Files elsewhere, which are not drawn. */
  outside?: number | null;
}

const DAY = 86_400_000;

const SPANS = [
  { value: "1", label: "24 h" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "all", label: "All" },
];

const COLORS = [
  { value: "age", label: "How lately" },
  { value: "who", label: "Who" },
];

/** Beside the choice of the workspace. */
export function TouchedChoices() {
  const query = place.value.query;
  return (
    <>
      <Segments
        label="Touched in the last"
        value={query.get("days") ?? "30"}
        choices={SPANS}
        change={(value) => refine({ days: value, at: null })}
      />
      <Segments
        label="Color by"
        value={query.get("color") === "who" ? "who" : "age"}
        choices={COLORS}
        change={(value) => refine({ color: value })}
      />
    </>
  );
}

export function MapTouched({ workspace }: { workspace: Workspace }) {
  const query = place.value.query;
  const key = workspace.key;
  const days = query.get("days") ?? "30";
  const colors = query.get("color") === "who" ? "who" : "age";
  // By the hour, so that the same question is asked for a while.
  const since = days === "all" ? undefined : Math.floor(Date.now() / 3_600_000) * 3_600_000 - Number(days) * DAY;
  const answer = useAnswer<Picture>(`/workspaces/${segment(key)}/map`, { since });
  const sessions = useAnswer<Page<Session>>("/sessions", { workspace: key, limit: 200 });
  const root = useMemo(() => tree(answer.data?.nodes ?? []), [answer.data]);
  const shown = find(root, query.get("at") ?? "");
  const [picked, setPicked] = useState<Place | null>(null);
  useEffect(() => setPicked(null), [shown]);

  const scheme = useMemo(
    () => (colors === "who" ? people(root, sessions.data?.items ?? []) : ages(now.peek())),
    [colors, root, sessions.data],
  );
  const open = (to_: Place): void => {
    if (to_.children.length > 0) refine({ at: to_.path });
    else setPicked(to_);
  };
  const leave = (): void => refine({ at: parent(root, shown).path || null });
  const describe = (to_: Place): string =>
    `${to_.path}, ${many(to_.reads, "read")}, ${many(to_.edits, "edit")}, last ${ago(to_.lastAt, Date.now())}` +
    `${to_.claims > 0 ? ", held now" : ""}${to_.children.length > 0 ? ", a folder" : ""}`;

  if (answer.error !== undefined && answer.data === undefined) {
    return <Trouble error={answer.error} retry={answer.reload} />;
  }
  if (answer.data === undefined) return <Waiting rows={8} />;
  if (root.children.length === 0) {
    return (
      <Empty icon="map" title="No file was touched in this time">
        {days === "all" ? null : (
          <button type="button" class="button" onClick={() => refine({ days: "all" })}>
            Show all of the past
          </button>
        )}
      </Empty>
    );
  }
  return (
    <div class="map">
      <div class="map-main">
        <Crumbs steps={steps(root, shown, workspaceName(workspace))} go={(path) => refine({ at: path || null })} />
        <Treemap
          label="Files by how often they were touched"
          shown={shown}
          color={scheme.color}
          describe={describe}
          onPick={setPicked}
          onOpen={open}
          onLeave={leave}
        />
        <MapLegend entries={scheme.legend} />
        <p class="faint map-note">
          As large as how often memories say it was read or changed.
          {answer.data.cut ? " Only what was touched last is drawn." : ""}
          {elsewhere(answer.data.outside ?? 0)}
        </p>
      </div>
      <MapAside
        shown={shown}
        picked={picked}
        sessions={sessions.data?.items ?? []}
        open={open}
        remembered={(file) => go(to("memories", null, { file }))}
      />
    </div>
  );
}

/** The folders from the root down to the one that is shown. */
function steps(root: Place, shown: Place, workspace: string): Step[] {
  const steps: Step[] = [{ label: workspace, path: "" }];
  for (let at = root; at.path !== shown.path;) {
    const next = at.children.find((child) => shown.path === child.path || shown.path.startsWith(`${child.path}/`));
    if (next === undefined) break;
    steps.push({ label: next.name, path: next.path });
    at = next;
  }
  return steps;
}

function parent(root: Place, shown: Place): Place {
  let above = root;
  for (;;) {
    const next = above.children.find((child) => shown.path !== child.path && shown.path.startsWith(`${child.path}/`));
    if (next === undefined) return above;
    above = next;
  }
}

function elsewhere(touches: number): string {
  return touches === 0 ? "" : ` ${many(touches, "touch", "touches")} outside of the workspace not drawn.`;
}
