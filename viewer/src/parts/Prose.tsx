// A sentence of our manuals: what stands between backticks is shown as code. Text nodes only.

import { Fragment } from "preact";

export function Prose({ text }: { text: string }) {
  return (
    <>
      {text
        .split("`")
        .map((part, index) =>
          index % 2 === 1 ? <code key={index}>{part}</code> : <Fragment key={index}>{part}</Fragment>,
        )}
    </>
  );
}
