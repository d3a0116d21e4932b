// throughline: carries what happens in OpenCode to a memory on this machine, and what that answers back.
// Written by `throughline install --client opencode`, taken away by `throughline uninstall --client opencode`.
//
// Decides nothing, waits no longer than DEADLINE_MS, throws only to refuse a tool call, and is silent where
// throughline is gone. Sessions, events and calls are named as in every other agent's envelopes, since redaction and
// deadlines go by these names; what a tool is called, was given and gave is OpenCode's own.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"

const HOOK = ["throughline-hook", "--agent", "opencode"]
const SERVER = ["throughline", "mcp"]

const DEADLINE_MS = 5000
const MAX_ANSWER = 1 << 20
const MAX_SESSIONS = 100
const MAX_CALLS = 1000
const MAX_DEPTH = 8

/** Where OpenCode keeps its sessions; older releases have no such file. */
const DATA = join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "opencode")
const DATABASE = resolve(DATA, process.env.OPENCODE_DB || "opencode.db")

/** One event to the hook. Its answer, or an empty one; never an error. */
const call = (event, fields) =>
  new Promise((done) => {
    let said = ""
    let timer
    const finish = () => {
      clearTimeout(timer)
      try {
        done(JSON.parse(said) ?? {})
      } catch {
        done({})
      }
    }
    try {
      const [program, ...words] = HOOK
      const envelope = JSON.stringify({ hook_event_name: event, ...fields })
      const child = spawn(program, [...words, event], { stdio: ["pipe", "pipe", "ignore"] })
      timer = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS)
      child.on("error", finish)
      child.on("close", finish)
      child.stdin.on("error", () => {})
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (piece) => {
        if (said.length < MAX_ANSWER) said += piece
      })
      child.stdin.end(envelope)
    } catch {
      finish()
    }
  })

/** The oldest make room. */
const keep = (map, most, key, value) => {
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value)
  return value
}

export const Throughline = async ({ client, directory }) => {
  // A person and a project may both have this file: one of them speaks.
  const speakers = (globalThis[Symbol.for("throughline")] ??= new Map())
  if ((speakers.get(directory) ?? import.meta.url) !== import.meta.url) return {}
  keep(speakers, MAX_SESSIONS, directory, import.meta.url)

  const sessions = new Map()
  const calls = new Map()
  let queue = Promise.resolve()

  /** Events that nobody waits for, one after the other. */
  const later = (event, fields) => (queue = queue.then(() => call(event, fields)))

  /** A subagent has a session of its own, below the person's. */
  const who = (id) => {
    let root = id
    for (let depth = 0; depth < MAX_DEPTH && sessions.get(root)?.parent; depth++) root = sessions.get(root).parent
    const session = sessions.get(id)
    const common = { session_id: root, cwd: session?.directory ?? directory }
    if (DATABASE.endsWith(".db") && existsSync(DATABASE)) common.transcript_path = join(DATABASE, root)
    return root === id ? common : { ...common, agent_id: id, agent_type: session?.agent ?? "" }
  }

  /** What is said at the start goes with every request of the session, until it starts anew. */
  const start = (id, source, info) => {
    const known = sessions.get(id) ?? { parent: info?.parentID, agent: info?.agent, directory: info?.directory }
    const session = keep(sessions, MAX_SESSIONS, id, known)
    const event = session.parent ? "SubagentStart" : "SessionStart"
    session.started = later(event, { ...who(id), source }).then((answer) => {
      session.context = answer.context
    })
    return session
  }

  /** A session that goes on was created before us, and is asked for. */
  const resumed = async (id) => {
    const info = await client.session.get({ path: { id } }).then(
      (found) => found?.data,
      () => undefined,
    )
    return sessions.get(id) ?? start(id, "resume", info)
  }

  /** What is said of a failed call comes too late for it, and goes with what the model reads next. */
  const late = (id) => {
    const session = sessions.get(id)
    const said = session?.late
    if (session) session.late = undefined
    return said
  }

  const happened = {
    "session.created": (id, { info }) => sessions.has(id) || start(id, "startup", info),
    "session.compacted": (id) => start(id, "compact"),
    "session.idle": (id) => {
      const session = sessions.get(id)
      later(session?.parent ? "SubagentStop" : "Stop", { ...who(id), last_assistant_message: session?.last })
    },
    "session.error": (id, { error }) =>
      later("StopFailure", { ...who(id), error: [error?.name, error?.data?.message].filter(Boolean).join(": ") }),
    "session.deleted": (id) => {
      if (!sessions.get(id)?.parent) later("SessionEnd", { ...who(id), reason: "deleted" })
      sessions.delete(id)
    },
    // A call that fails has no "after"; one that we refused never was.
    "message.part.updated": (id, { part }) => {
      if (part?.type !== "tool" || part.state?.status !== "error") return
      const before = calls.get(part.callID)
      if (!calls.delete(part.callID)) return
      const of = { tool_name: part.tool, tool_use_id: part.callID, tool_input: part.state.input }
      later("PostToolUseFailure", { ...who(id), ...of, error: part.state.error }).then(({ context }) => {
        const said = [before, context].filter(Boolean).join("\n\n")
        if (said && sessions.has(id)) sessions.get(id).late = said
      })
    },
  }

  return {
    config: async (config) => {
      if (!SERVER) return
      config.mcp ??= {}
      config.mcp.throughline ??= { type: "local", command: SERVER, enabled: true }
    },

    event: async ({ event }) => {
      const of = event?.properties
      const id = of?.sessionID ?? of?.info?.id
      if (id && Object.hasOwn(happened, event.type)) happened[event.type](id, of)
    },

    "chat.message": async (input, output) => {
      const id = input.sessionID
      const session = sessions.get(id) ?? (await resumed(id))
      await session.started
      const written = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      if (!written.length) return
      const prompt = written.map((part) => part.text).join("\n")
      const answer = await call("UserPromptSubmit", { ...who(id), prompt, prompt_id: output.message.id })
      const text = [late(id), answer.context].filter(Boolean).join("\n\n")
      if (!text) return
      // Parts are ordered by their names.
      const name = output.parts.map((part) => part.id).sort().at(-1) + "t"
      const messageID = output.message.id
      output.parts.push({ id: name, sessionID: id, messageID, type: "text", text, synthetic: true })
    },

    "experimental.chat.system.transform": async (input, output) => {
      const session = sessions.get(input.sessionID)
      // A title needs no memory.
      if (!session || output.system[0]?.startsWith("You are a title generator")) return
      await session.started
      if (session.context) output.system.push(session.context)
    },

    "tool.execute.before": async (input, output) => {
      const of = { tool_name: input.tool, tool_use_id: input.callID, tool_input: output.args }
      const answer = await call("PreToolUse", { ...who(input.sessionID), ...of })
      if (answer.deny) throw new Error(answer.deny)
      keep(calls, MAX_CALLS, input.callID, answer.context)
    },

    "tool.execute.after": async (input, output) => {
      const before = calls.get(input.callID)
      calls.delete(input.callID)
      const of = { tool_name: input.tool, tool_use_id: input.callID, tool_input: input.args }
      const gave = {
        output: output.output,
        exit: output.metadata?.exit,
        content: output.content?.filter((part) => part.type === "text"),
        isError: output.isError,
      }
      const { context } = await call("PostToolUse", { ...who(input.sessionID), ...of, tool_response: gave })
      const said = [late(input.sessionID), before, context].filter(Boolean).join("\n\n")
      if (!said) return
      if (typeof output.output === "string") output.output += `\n\n${said}`
      else output.content?.push({ type: "text", text: said })
    },

    "experimental.session.compacting": async (input, output) => {
      const { context } = await call("PreCompact", who(input.sessionID))
      if (context) output.context.push(context)
    },

    "experimental.text.complete": async (input, output) => {
      const session = sessions.get(input.sessionID)
      if (session) session.last = output.text
    },

    dispose: async () => {
      await queue
      const roots = [...sessions].filter(([, session]) => !session.parent)
      await Promise.all(roots.map(([id]) => call("SessionEnd", { ...who(id), reason: "exit" })))
    },
  }
}
