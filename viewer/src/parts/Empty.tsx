// What a view shows when it has nothing: why, and what to do next. An error is a kind of nothing.

import type { ComponentChildren } from "preact";
import { ApiError, explain } from "../api";
import { Icon } from "./Kind";

export function Empty({ icon, title, children }: { icon: string; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={22} />
      </span>
      <h2 class="empty-title">{title}</h2>
      {children ? <div class="empty-text">{children}</div> : null}
    </div>
  );
}

export function Trouble({ error, retry }: { error: unknown; retry?: () => void }) {
  const gone = error instanceof ApiError && error.status === 404;
  return (
    <div class="empty" role="alert">
      <span class="empty-icon empty-icon-bad">
        <Icon name="failure" size={22} />
      </span>
      <h2 class="empty-title">{gone ? "Not here" : "This could not be loaded"}</h2>
      <div class="empty-text">
        <p>{gone ? "It was forgotten, or never was." : <Words>{explain(error)}</Words>}</p>
        {retry && !gone ? (
          <button type="button" class="button" onClick={retry}>
            Try again
          </button>
        ) : null}
      </div>
    </div>
  );
}

/** Holds the place of what is on its way; drawn late, so that a fast answer never flickers. */
export function Waiting({ rows = 6 }: { rows?: number }) {
  return (
    <div class="waiting" role="status" aria-label="loading">
      {Array.from({ length: rows }, (_, row) => (
        <span class="bone" key={row} />
      ))}
    </div>
  );
}

/** A sentence in which commands stand between backticks. */
export function Words({ children }: { children: string }) {
  return <>{children.split("`").map((part, index) => (index % 2 === 1 ? <Command key={index}>{part}</Command> : part))}</>;
}

/** A command a person can type. */
export function Command({ children }: { children: string }) {
  return <code class="command">{children}</code>;
}
