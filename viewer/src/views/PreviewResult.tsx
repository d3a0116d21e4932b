// The answer of a preview: item by item with its reason, who spoke and who kept silent, and the bytes themselves.

import { to } from "../router";
import { Badge } from "../parts/Badge";
import { short } from "../parts/ChartScale";
import { Empty } from "../parts/Empty";
import { many } from "../parts/Time";

interface Item {
  id?: string | null;
  memory?: string | null;
  from?: string | null;
  part?: string | null;
  title: string;
  tokens: number;
  why?: string | null;
}

interface NoteSaid {
  from: string;
  tokens: number;
  text: string;
  items?: Item[] | null;
}

interface Asked {
  name: string;
  tokens: number;
  silent: boolean;
  micros: number;
  trouble?: string | null;
}

export interface Injectable {
  event: string;
  project?: string | null;
  tokens: number;
  items: Item[];
  notes: NoteSaid[];
  tells: string[];
  instructions?: string | string[] | null;
  text: string;
  delivered: string;
  behaviors: Asked[];
}

export function PreviewResult({ result }: { result: Injectable }) {
  const spoke = result.behaviors.filter((one) => !one.silent);
  const micros = result.behaviors.reduce((sum, one) => sum + one.micros, 0);
  const instructions = [result.instructions ?? []].flat().filter((one) => one !== "");
  const isSilent = result.notes.length === 0 && result.tells.length === 0 && instructions.length === 0;
  return (
    <>
      <div class="preview-head">
        <p class="preview-sum">
          <strong>{many(result.tokens, "token")}</strong> in {many(result.notes.length, "note")}
          <span class="faint">
            {" "}
            · {spoke.length} of {many(result.behaviors.length, "behavior")} spoke · {short(micros, "us")}
          </span>
        </p>
      </div>
      {isSilent ? (
        <Empty icon="preview" title="Silence">
          <p>Nothing that is kept fits well enough here, so the agent would be told nothing.</p>
        </Empty>
      ) : null}
      {result.notes.map((note, index) => (
        <section key={index} class="panel preview-note" aria-label={`Said by ${note.from}`}>
          <header class="panel-head">
            <Badge tone="accent">{note.from}</Badge>
            <span class="grow" />
            <span class="faint">{many(note.tokens, "token")}</span>
          </header>
          <ol class="preview-items">
            {itemsOf(result, note).map((item, at) => (
              <li key={at} class="preview-item">
                <span class="preview-item-head">
                  {(item.memory ?? item.id) ? (
                    <a class="preview-title" href={to("memories", item.memory ?? item.id)}>
                      {item.title}
                    </a>
                  ) : (
                    <span class="preview-title">{item.title}</span>
                  )}
                  <span class="faint number">{many(item.tokens, "token")}</span>
                </span>
                <span class="preview-why">
                  {item.part ? <Badge>{item.part}</Badge> : null}
                  {item.why ? <span>{item.why}</span> : null}
                </span>
              </li>
            ))}
          </ol>
          <details class="preview-words">
            <summary>Its words</summary>
            <pre class="text-block" tabIndex={0}>
              {note.text}
            </pre>
          </details>
        </section>
      ))}
      {instructions.length > 0 ? (
        <section class="panel preview-note" aria-label="Asked of the summary">
          <header class="panel-head">Asked of the summary</header>
          <pre class="text-block preview-plain">{instructions.join("\n")}</pre>
        </section>
      ) : null}
      {result.tells.length > 0 ? (
        <section class="panel preview-note" aria-label="Told to the person">
          <header class="panel-head">Told to the person, not to the agent</header>
          <ul class="preview-tells">
            {result.tells.map((tell, index) => (
              <li key={index} class="prose">
                {tell}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <section class="panel" aria-label="Who was asked">
        <header class="panel-head">Who was asked</header>
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Behaviors, as a table">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Behavior</th>
                <th scope="col">Said</th>
                <th scope="col" class="number">
                  Tokens
                </th>
                <th scope="col" class="number">
                  Took
                </th>
              </tr>
            </thead>
            <tbody>
              {[...result.behaviors]
                .sort((left, right) => Number(left.silent) - Number(right.silent) || right.micros - left.micros)
                .map((one) => (
                  <tr key={one.name}>
                    <th scope="row">{one.name}</th>
                    <td>
                      {one.trouble ? (
                        <span class="text-bad">{one.trouble}</span>
                      ) : one.silent ? (
                        <span class="faint">kept silent</span>
                      ) : (
                        <Badge tone="accent">spoke</Badge>
                      )}
                    </td>
                    <td class="number">{one.tokens > 0 ? one.tokens : "–"}</td>
                    <td class="number">{short(one.micros, "us")}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      </section>
      {result.delivered !== "" ? (
        <details class="panel preview-words preview-bytes">
          <summary>
            The bytes the agent would be given{" "}
            <span class="faint">({many(new TextEncoder().encode(result.delivered).length, "byte")})</span>
          </summary>
          <pre class="text-block" tabIndex={0}>
            {result.delivered}
          </pre>
        </details>
      ) : null}
    </>
  );
}

function itemsOf(result: Injectable, note: NoteSaid): Item[] {
  return note.items && note.items.length > 0 ? note.items : result.items.filter((item) => item.from === note.from);
}
