/**
 * Watches the ancestors of a package script: `npx … bun run quickstart` is npm, a shell, `bun run` and then this process. A signal
 * to npm often ends only some of them, and would leave this process behind with its port.
 */
import { readFileSync } from 'node:fs'

const CHECK_EVERY_MS = 300
const SHELLS = ['sh', 'dash', 'bash']
const MAX_ANCESTORS = 8

/** Calls once when one of these ancestors has ended. Does nothing where the process was started by hand. */
export function whenRunnerEnds(ended: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return
  const chain = [process.pid, ...runners()]
  const timer = setInterval(() => {
    const isWhole = chain.every((pid, index) => index === chain.length - 1 || parentOf(pid) === chain[index + 1])
    if (isWhole) return
    clearInterval(timer)
    ended()
  }, CHECK_EVERY_MS)
  timer.unref()
}

/** From the parent up to npm, or to `bun run` where that was started by hand. Processes above belong to the user. */
function runners(): number[] {
  const found: Array<{ pid: number; name: string }> = []
  for (let pid = process.ppid; pid > 1 && found.length < MAX_ANCESTORS; pid = parentOf(pid)) {
    const name = nameOf(pid)
    found.push({ pid, name })
    // npm sets its process title to `npm ` and its arguments.
    if (name.startsWith('npm ')) return found.map(({ pid }) => pid)
    if (name !== 'bun' && !SHELLS.includes(name)) break
  }
  const last = Math.max(
    0,
    found.findLastIndex(({ name }) => name === 'bun'),
  )
  return found.slice(0, last + 1).map(({ pid }) => pid)
}

/** Without `/proc` only our own parent is known. */
function parentOf(pid: number): number {
  return pid === process.pid ? process.ppid : Number(statOf(pid)?.parent ?? 0)
}

const nameOf = (pid: number) => statOf(pid)?.name ?? ''

/** `pid (name) state parent …`; the name may contain anything, also brackets. */
function statOf(pid: number): { name: string; parent: string | undefined } | undefined {
  try {
    const [, name = '', rest = ''] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return { name, parent: rest.split(' ')[1] }
  } catch {
    return undefined
  }
}
