// Written by `omoide setup opencode`; `omoide uninstall opencode` takes it away. It hands events to omoide and
// nothing else: no failure in here reaches OpenCode.
import { spawn } from "node:child_process"

const COMMAND = __COMMAND__
const LIMIT = 10_000
const LISTENED = new Set(["session.created", "session.idle", "session.error", "session.compacted", "session.deleted"])

function tell(event, payload) {
  return new Promise((resolve) => {
    const words = COMMAND.map((word) => (word === "EVENT" ? event : word))
    let said = ""
    let timer
    const done = () => {
      clearTimeout(timer)
      resolve(said)
    }
    try {
      const child = spawn(words[0], words.slice(1), { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      timer = setTimeout(() => child.kill(), LIMIT)
      child.on("error", done)
      child.on("close", done)
      child.stdout.on("data", (part) => (said += part))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ hook_event_name: event, ...payload }))
    } catch {
      done()
    }
  })
}

function session(properties) {
  return properties?.sessionID ?? properties?.info?.id ?? properties?.info?.sessionID ?? null
}

export const Omoide = async ({ directory, worktree }) => {
  const place = { cwd: directory ?? worktree ?? process.cwd() }
  return {
    event: async ({ event }) => {
      if (!LISTENED.has(event?.type)) return
      await tell(event.type, { ...place, session_id: session(event.properties), properties: event.properties })
    },
    "experimental.session.compacting": async (input, output) => {
      const said = await tell("experimental.session.compacting", { ...place, session_id: input?.sessionID ?? null })
      if (said.trim() && Array.isArray(output?.context)) output.context.push(said.trim())
    },
  }
}
