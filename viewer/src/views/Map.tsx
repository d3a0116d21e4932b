// Pictures of a workspace: where the work is, and how the code hangs together. Which one is shown stands in the address.

import { place, refine } from "../router";
import { useAnswer } from "../state";
import type { Page, Workspace } from "../types";
import { Empty, Trouble, Waiting } from "../parts/Empty";
import { Select } from "../parts/Field";
import { ViewHead } from "../parts/Layout";
import { Segments } from "../parts/Segments";
import { MapModules, ModuleChoices } from "./MapModules";
import { MapTouched, TouchedChoices } from "./MapTouched";

const PICTURES = [
  { value: "touched", label: "Touched" },
  { value: "modules", label: "Modules" },
];

export function Map() {
  const query = place.value.query;
  const workspaces = useAnswer<Page<Workspace>>("/workspaces", { limit: 200 });
  const known = workspaces.data?.items ?? [];
  const workspace = known.find((one) => one.key === query.get("workspace")) ?? known[0];
  const picture = query.get("show") === "modules" ? "modules" : "touched";

  return (
    <section class="view" data-view="map">
      <ViewHead title="Map">
        {workspace !== undefined ? (
          <Select
            label="Workspace"
            value={workspace.key}
            choices={known.map((one) => ({
              value: one.key,
              label: one.project ? `${one.project} · ${one.root}` : one.root,
            }))}
            change={(value) => refine({ workspace: value, at: null, file: null })}
          />
        ) : null}
        <Segments
          label="Show"
          value={picture}
          choices={PICTURES}
          change={(value) => refine({ show: value === "modules" ? value : null, at: null, file: null })}
        />
        {picture === "modules" ? <ModuleChoices /> : <TouchedChoices />}
      </ViewHead>
      <div class="view-body">
        {workspaces.error !== undefined && workspaces.data === undefined ? (
          <Trouble error={workspaces.error} retry={workspaces.reload} />
        ) : workspaces.data === undefined ? (
          <Waiting rows={8} />
        ) : workspace === undefined ? (
          <Empty icon="map" title="No workspace is known yet">
            <p>A folder is known from the first session that works in it.</p>
          </Empty>
        ) : picture === "modules" ? (
          <MapModules workspace={workspace} />
        ) : (
          <MapTouched workspace={workspace} />
        )}
      </div>
    </section>
  );
}
