// The only way to the daemon. Remembers ETags, so an unchanged answer costs no body; turns problem+json into an error a
// person can read; and knows whether the daemon answers at all. Nothing here knows a view.

import { signal } from "@preact/signals";
import { getKey, hasKey, keyHeaders } from "./pageKey";

/** "lost": nobody answers. "locked": the daemon answers, but not to this page. */
export type Connection = "fine" | "lost" | "locked";

export const connection = signal<Connection>("fine");

/** Answers kept for their ETag. A view asks a handful of questions; a scrolled list some dozens of pages. */
const KEPT_ANSWERS = 200;

/** Longer than the slowest question the daemon allows itself. */
const PATIENCE_MS = 15_000;

export type Query = Record<string, string | number | boolean | readonly string[] | null | undefined>;

interface Kept {
  etag: string;
  body: unknown;
}

const kept = new Map<string, Kept>();

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
  ) {
    super(detail || title);
  }
}

export function url(path: string, query: Query = {}): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === "") continue;
    if (Array.isArray(value)) for (const each of value) fields.append(name, String(each));
    else fields.append(name, String(value));
  }
  const text = fields.toString();
  return text ? `/api/v1${path}?${text}` : `/api/v1${path}`;
}

export async function get<T>(path: string, query: Query = {}, stop?: AbortSignal): Promise<T> {
  const address = url(path, query);
  const known = kept.get(address);
  const headers: Record<string, string> = known ? { "If-None-Match": known.etag } : {};
  const answer = await ask(address, { headers }, stop);
  if (answer.status === 304 && known) return known.body as T;
  const body = (await answer.json()) as T;
  const etag = answer.headers.get("ETag");
  if (etag) keep(address, { etag, body });
  return body;
}

export interface Written<T> {
  status: number;
  body: T;
}

/** Changes something. `match` is an ETag: the daemon answers 412 when somebody else was faster. */
export async function send<T>(
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
  match?: string,
): Promise<Written<T>> {
  const headers: Record<string, string> = { "X-Throughline": "viewer" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (match) headers["If-Match"] = match;
  const answer = await ask(url(path), { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, body: (text ? JSON.parse(text) : null) as T };
}

/** The ETag under which an answer was last given, for a later `match`. */
export function etagOf(path: string, query: Query = {}): string | undefined {
  return kept.get(url(path, query))?.etag;
}

/** One path segment out of an id that somebody else chose. */
export function segment(id: string): string {
  return encodeURIComponent(id);
}

/** What to tell a person when a question failed. */
export function explain(trouble: unknown): string {
  if (trouble instanceof ApiError) return trouble.message;
  return trouble instanceof Error ? trouble.message : String(trouble);
}

async function ask(address: string, request: RequestInit, stop?: AbortSignal): Promise<Response> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const signals = stop ? [stop, patience] : [patience];
  let answer: Response;
  try {
    answer = await withKey(address, request, any(signals));
  } catch (trouble) {
    if (stop?.aborted) throw trouble;
    connection.value = "lost";
    throw new ApiError(0, "the daemon does not answer", "the daemon does not answer; run `throughline doctor`");
  }
  if (answer.status === 401) {
    connection.value = "locked";
    throw new ApiError(401, "this page may not look", "this page may not look any more; run `throughline view`");
  }
  connection.value = "fine";
  if (answer.ok || answer.status === 304) return answer;
  throw await problem(answer);
}

/** Asks with the page's key; one that is not known any more is fetched anew, once: another link may have been opened. */
export async function withKey(address: string, request: RequestInit, signal: AbortSignal): Promise<Response> {
  const once = () =>
    fetch(address, {
      ...request,
      headers: { ...(request.headers as Record<string, string> | undefined), ...keyHeaders() },
      credentials: "same-origin",
      cache: "no-store",
      signal,
    });
  if (!hasKey()) await getKey();
  const answer = await once();
  return answer.status === 401 && (await getKey()) ? once() : answer;
}

async function problem(answer: Response): Promise<ApiError> {
  try {
    const said = (await answer.json()) as { title?: string; detail?: string };
    return new ApiError(answer.status, said.title ?? answer.statusText, said.detail ?? "");
  } catch {
    return new ApiError(answer.status, answer.statusText, `the daemon answered ${answer.status}`);
  }
}

function keep(address: string, answer: Kept) {
  kept.delete(address);
  kept.set(address, answer);
  const oldest = kept.keys().next();
  if (kept.size > KEPT_ANSWERS && !oldest.done) kept.delete(oldest.value);
}

/** `AbortSignal.any`, which browsers of two years ago lack. */
function any(signals: AbortSignal[]): AbortSignal {
  const [only] = signals;
  if (signals.length === 1 && only) return only;
  const ending = new AbortController();
  for (const each of signals) {
    if (each.aborted) ending.abort(each.reason);
    else each.addEventListener("abort", () => ending.abort(each.reason), { once: true });
  }
  return ending.signal;
}
