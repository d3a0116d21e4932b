// Where the person is: the part of the address behind `#`. Hash routes need nothing of the server and never leave the page.

import { computed, signal } from "@preact/signals";

export interface Place {
  /** "sessions" in `#/sessions/ID?tool=Edit` */
  view: string;
  /** "ID", decoded */
  id: string | null;
  query: URLSearchParams;
}

const HOME = "live";

export const hash = signal(window.location.hash);

export const place = computed<Place>(() => read(hash.value));

window.addEventListener("hashchange", () => (hash.value = window.location.hash));

export function read(text: string): Place {
  const [path = "", query = ""] = text.replace(/^#\/?/, "").split("?", 2);
  const [view = "", id = ""] = path.split("/", 2);
  return { view: view || HOME, id: id ? decode(id) : null, query: new URLSearchParams(query) };
}

/** The address of a view: `to("sessions", "a/b")` is `#/sessions/a%2Fb`. */
export function to(view: string, id?: string | null, query: Record<string, string | null | undefined> = {}): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) fields.set(name, value);
  const text = fields.toString();
  return `#/${view}${id ? `/${encodeURIComponent(id)}` : ""}${text ? `?${text}` : ""}`;
}

export function go(address: string) {
  window.location.hash = address;
}

/** Changes the query of the present place without a step in the history: filters are not pages. */
export function refine(query: Record<string, string | null | undefined>) {
  const here = place.value;
  const fields = Object.fromEntries(here.query.entries());
  const address = to(here.view, here.id, { ...fields, ...query });
  window.history.replaceState(null, "", address);
  hash.value = address;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
