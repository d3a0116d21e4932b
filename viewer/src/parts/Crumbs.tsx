// The way from a workspace down to a folder, each step to be gone back to.

import type { Workspace } from "../types";

export interface Step {
  label: string;
  /** From the root of the workspace on; empty for the root itself. */
  path: string;
}

export function Crumbs({ steps, go }: { steps: readonly Step[]; go: (path: string) => void }) {
  return (
    <nav class="crumbs" aria-label="Folder">
      <ol>
        {steps.map((step, index) => (
          <li key={step.path}>
            {index === steps.length - 1 ? (
              <span aria-current="location">{step.label}</span>
            ) : (
              <button type="button" class="crumb" onClick={() => go(step.path)}>
                {step.label}
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

export function workspaceName(workspace: Workspace): string {
  return workspace.project ?? workspace.root.slice(workspace.root.lastIndexOf("/") + 1) ?? "workspace";
}
