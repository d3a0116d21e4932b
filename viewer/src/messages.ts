// Server-sent events out of pieces of text, as they arrive (WHATWG HTML, "event stream interpretation").

export type Tell = (name: string, data: string, id: string) => void;

/** Takes pieces, in order, cut anywhere; tells each message when it is whole. */
export function messages(tell: Tell): (piece: string) => void {
  let rest = "";
  let name = "";
  let data: string[] = [];
  let id = "";
  const line = (text: string) => {
    if (text === "") {
      if (data.length) tell(name || "message", data.join("\n"), id);
      name = "";
      data = [];
      return;
    }
    if (text.startsWith(":")) return;
    const at = text.indexOf(":");
    const field = at < 0 ? text : text.slice(0, at);
    const value = at < 0 ? "" : text.slice(at + 1).replace(/^ /, "");
    if (field === "event") name = value;
    else if (field === "data") data.push(value);
    else if (field === "id" && !value.includes("\0")) id = value;
  };
  return (piece) => {
    rest += piece;
    for (;;) {
      const at = rest.search(/[\r\n]/);
      // A carriage return at the end may be half of a line's end.
      if (at < 0 || (rest[at] === "\r" && at === rest.length - 1)) return;
      const text = rest.slice(0, at);
      rest = rest.slice(at + (rest[at] === "\r" && rest[at + 1] === "\n" ? 2 : 1));
      line(text);
    }
  };
}
