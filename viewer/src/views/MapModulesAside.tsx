// What the picture of modules says, in words and as a table; and what a file defines.

import { segment } from "../api";
import { refine } from "../router";
import { useAnswer } from "../state";
import type { Drawn, FileOutline, Workspace } from "../types";
import { Trouble, Waiting } from "../parts/Empty";
import { Fact } from "../parts/Field";
import { usedBy, uses } from "../parts/ModuleLines";
import { count, many } from "../parts/Time";

/** Names in a sentence; the table has the rest. */
const MOST_NAMES = 8;
/** Definitions of a file that are listed; who wants the rest reads the file. */
const MOST_DEFINITIONS = 400;

interface AsideProps {
  workspace: Workspace;
  drawn: Drawn;
  /** The folder that is shown. */
  at: string;
  picked: number | null;
  /** The file whose outline is shown. */
  file: string | null;
  open: (index: number) => void;
}

export function MapModulesAside({ workspace, drawn, at, picked, file, open }: AsideProps) {
  const box = picked === null ? undefined : drawn.boxes[picked];
  const all = drawn.boxes;
  const sum = (of: (one: Drawn["boxes"][number]) => number): number => all.reduce((total, one) => total + of(one), 0);
  return (
    <aside class="map-aside" aria-label="Details">
      <section class="panel map-details">
        <header class="panel-head">
          <h2 class={box === undefined && at === "" ? undefined : "map-path"}>
            {box?.name ?? (at === "" ? "The whole workspace" : at)}
          </h2>
        </header>
        <dl class="facts panel-body">
          <Fact name="Files">{count(box?.files ?? sum((one) => one.files))}</Fact>
          <Fact name="Lines">{count(box?.lines ?? sum((one) => one.lines))}</Fact>
          <Fact name="Defines">{many(box?.symbols ?? sum((one) => one.symbols), "symbol")}</Fact>
          {picked !== null ? (
            <>
              <Fact name="Uses">{listed(drawn, uses(drawn, picked))}</Fact>
              <Fact name="Used by">{listed(drawn, usedBy(drawn, picked))}</Fact>
            </>
          ) : (
            <Fact name="In circles">{count(all.filter((one) => one.circular).length)}</Fact>
          )}
        </dl>
      </section>
      {file !== null ? <Outline workspace={workspace} file={file} /> : null}
      <div class="table-scroll map-table" tabIndex={0} role="region" aria-label="Modules of this folder, as a table">
        <table class="table">
          <caption class="hidden">Modules of this folder: how large they are, how many they use and are used by</caption>
          <thead>
            <tr>
              <th scope="col">Module</th>
              <th scope="col" class="number">
                Lines
              </th>
              <th scope="col" class="number">
                Uses
              </th>
              <th scope="col" class="number">
                Used by
              </th>
            </tr>
          </thead>
          <tbody>
            {all.map((one, index) => (
              <tr key={one.name} class={index === picked ? "row-picked" : ""}>
                <th scope="row">
                  <button type="button" class="map-open" title={one.name} onClick={() => open(index)}>
                    {one.circular ? `${one.name} ↻` : one.name}
                  </button>
                </th>
                <td class="number">{count(one.lines)}</td>
                <td class="number">{count(uses(drawn, index).length)}</td>
                <td class="number">{count(usedBy(drawn, index).length)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </aside>
  );
}

function Outline({ workspace, file }: { workspace: Workspace; file: string }) {
  const answer = useAnswer<FileOutline>(`/workspaces/${segment(workspace.key)}/code/outline`, { file });
  const outline = answer.data;
  return (
    <section class="panel outline" aria-label={`What ${file} defines`}>
      <header class="panel-head">
        <h2 class="map-path">{file}</h2>
        <button type="button" class="button button-small" onClick={() => refine({ file: null })}>
          Close
        </button>
      </header>
      {answer.error !== undefined && outline === undefined ? (
        <Trouble error={answer.error} retry={answer.reload} />
      ) : outline === undefined ? (
        <Waiting rows={4} />
      ) : (
        <>
          <p class="faint outline-note">
            {outline.language}, {many(outline.lines, "line")}, {count(outline.tokens)} tokens
            {outline.broken ? ", parts could not be parsed" : ""}
          </p>
          <ol class="outline-list" tabIndex={0} aria-label="Definitions">
            {outline.items.slice(0, MOST_DEFINITIONS).map((item) => (
              <li key={`${item.line} ${item.name}`} style={{ paddingLeft: `${12 * depth(item.name)}px` }}>
                <span class="outline-lines">{item.end_line > item.line ? `${item.line}–${item.end_line}` : item.line}</span>
                <code title={item.doc ?? item.name}>{item.signature || item.name}</code>
              </li>
            ))}
          </ol>
          {outline.items.length > MOST_DEFINITIONS ? (
            <p class="faint outline-note">and {count(outline.items.length - MOST_DEFINITIONS)} more</p>
          ) : null}
        </>
      )}
    </section>
  );
}

function listed(drawn: Drawn, indices: readonly number[]): string {
  if (indices.length === 0) return "nothing";
  const names = indices.slice(0, MOST_NAMES).map((index) => drawn.boxes[index]?.name ?? "");
  const rest = indices.length - names.length;
  return `${names.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** As far in as the definition's name says. */
function depth(name: string): number {
  return Math.min(6, (name.match(/\.|::|#/g) ?? []).length);
}
