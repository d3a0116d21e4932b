// A pattern as a picture: agents as boxes with their role and state, hand-overs as lines. The list below it says the same.

import type { Pattern, PatternNode } from "../types";
import { BOX, COORDINATOR, layoutOf } from "./PatternLayout";

/** Characters that fit into a box. */
const FITS = 26;

export function PatternPicture({ pattern }: { pattern: Pattern }) {
  const layout = layoutOf(pattern.nodes, pattern.edges);
  const nodes = new Map(pattern.nodes.map((node) => [node.key, node]));
  const end = `pattern-end-${pattern.at}`;
  return (
    <div class="pattern-picture">
      <svg
        viewBox={`0 0 ${layout.width} ${layout.height}`}
        width={layout.width}
        height={layout.height}
        role="img"
        aria-label={`${pattern.kind} ${pattern.name}: ${pattern.nodes.length} parts; the list below says the same`}
      >
        <defs>
          <marker id={end} viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path class="pattern-tip" d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {layout.lines.map((line) => (
          <path
            key={`${line.from} ${line.to}`}
            class={`pattern-line ${nodes.get(line.from)?.state === "done" ? "pattern-line-done" : ""}`}
            d={line.path}
            marker-end={`url(#${end})`}
          />
        ))}
        {layout.boxes.map((box) => {
          const node = nodes.get(box.key);
          return (
            <g key={box.key} class={`pattern-box pattern-${node?.state ?? "coordinator"}`} transform={`translate(${box.x} ${box.y})`}>
              <rect width={BOX.width} height={BOX.height} rx="8" />
              <text x="12" y="24" class="pattern-role">
                {box.key === COORDINATOR ? "coordinator" : cut(node?.label ?? "")}
              </text>
              <text x="12" y="44" class="pattern-state">
                {node ? stateOf(node) : pattern.ok === null || pattern.ok === undefined ? "waits" : cut(pattern.state)}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** A state in words; color never speaks alone. */
export function stateOf(node: PatternNode): string {
  const again = node.tries > 1 ? `, try ${node.tries}` : "";
  const words: Record<string, string> = { planned: "comes later", due: "to be started", called: "is called", out: "at work" };
  return `${words[node.state] ?? node.state}${again}`;
}

function cut(text: string): string {
  return text.length > FITS ? `${text.slice(0, FITS - 1)}…` : text;
}
