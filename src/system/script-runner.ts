/**
 * Who runs this process as a package script: `npx … bun run quickstart` is npm, a shell, `bun run` and then we. A signal
 * to the first of them often ends only some, and would leave us behind with the port.
 */
import { readFileSync } from 'node:fs'

const CHECK_EVERY_MS = 300
const SHELLS = ['sh', 'dash', 'bash']
const MAX_ANCESTORS = 8

/** Calls once, when one of the processes that run this script has gone. Does nothing where it was started by hand. */
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

/** From our parent up to npm, or to `bun run` where that was started by hand: what lies above is the user's own. */
function runners(): number[] {
  const found: Array<{ pid: number; name: string }> = []
  for (let pid = process.ppid; pid > 1 && found.length < MAX_ANCESTORS; pid = parentOf(pid)) {
    const name = nameOf(pid)
    found.push({ pid, name })
    // npm calls itself after what it was asked to do.
    if (name.startsWith('npm ')) return found.map(({ pid }) => pid)
    if (name !== 'bun' && !SHELLS.includes(name)) break
  }
  const last = Math.max(
    0,
    found.findLastIndex(({ name }) => name === 'bun'),
  )
  return found.slice(0, last + 1).map(({ pid }) => pid)
}

/** Where there is no /proc only our own parent is known. */
function parentOf(pid: number): number {
  return pid === process.pid ? process.ppid : Number(statOf(pid)?.parent ?? 0)
}

const nameOf = (pid: number) => statOf(pid)?.name ?? ''

/** `pid (name) state parent …`; the name may hold anything, brackets too. */
function statOf(pid: number): { name: string; parent: string | undefined } | undefined {
  try {
    const [, name = '', rest = ''] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return { name, parent: rest.split(' ')[1] }
  } catch {
    return undefined
  }
}
