/** The processes of a benchmark: servers that say when they listen, and the load generator. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import type { Order, Result } from './load/main'

const ROOT = join(import.meta.dir, '..')

export interface Service {
  url: string
  pid: number
  stop(): Promise<void>
}

/** Everything that listens prints one line of JSON with its `url` first. */
export async function startService(command: readonly string[], env: Record<string, string> = {}): Promise<Service> {
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...UNLIMITED, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    // A log goes to a pipe or a file where this runs for real; here nobody reads it.
    stderr: Bun.file('/dev/null'),
  })
  return { url: await urlOf(child), pid: child.pid, stop: () => stop(child) }
}

async function urlOf(child: Subprocess<'ignore', 'pipe', Bun.BunFile>): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true })
    const end = text.indexOf('\n')
    if (end >= 0) return JSON.parse(text.slice(0, end)).url
  }
  throw new Error('A server ended without listening')
}

async function stop(child: Subprocess<'ignore', 'pipe', Bun.BunFile>): Promise<void> {
  child.kill('SIGKILL')
  await child.exited
}

/** What the process has in memory now. */
export const residentBytes = ({ pid }: Pick<Service, 'pid'>): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024

/**
 * What processes compute, with those they have started: tells how many milliseconds since it was begun. By the kernel's own
 * account of each thread, which has nanoseconds where that of a process has hundredths of a second. A thread that has ended
 * since is not counted: those end that have had nothing to do for long.
 */
export function startCounting(pids: readonly number[]): () => number {
  const before = computedNs(pids)
  return () => {
    let ns = 0
    for (const [thread, now] of computedNs(pids)) ns += now - (before.get(thread) ?? 0)
    return ns / 1e6
  }
}

/** Of each thread. */
function computedNs(pids: readonly number[]): Map<string, number> {
  const threads = pids.flatMap(withChildren).flatMap((pid) => {
    const tasks = `/proc/${pid}/task`
    return listed(tasks).map((thread) => `${tasks}/${thread}`)
  })
  return new Map(threads.map((thread) => [thread, Number(textOf(`${thread}/schedstat`).split(' ')[0])]))
}

const withChildren = (pid: number): number[] => [
  pid,
  ...textOf(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number),
]

/** Nothing of what has just ended. */
const ifItIsThere = <T>(read: () => T, otherwise: T): T => {
  try {
    return read()
  } catch {
    return otherwise
  }
}
const textOf = (file: string) => ifItIsThere(() => readFileSync(file, 'utf8'), '')
const listed = (folder: string) => ifItIsThere(() => readdirSync(folder), [])

export const fromSource = (script: string, ...args: string[]): string[] => [
  process.execPath,
  join(ROOT, script),
  ...args,
]

/** The server as it is released, but from source: the benchmark builds nothing. */
export const serveCommand = (dir: string): string[] => fromSource('src/main.ts', 'serve', '--port', '0', '--data', dir)

/** What the platform's own limits would refuse is not what is measured; they are counted all the same. */
export const UNLIMITED: Readonly<Record<string, string>> = {
  WATCHWORD_LIMIT_REQUESTS_PER_KEY_PER_MIN: '10000000',
  WATCHWORD_LIMIT_ISSUES_PER_PHONE_10_MIN: '10000000',
  WATCHWORD_LIMIT_ISSUES_PER_PHONE_DAY: '10000000',
  WATCHWORD_MAX_BACKLOG: '10000000',
}

export class Generator {
  readonly #child: Subprocess
  #settle: ((message: { result: Result } | { failed: string }) => void) | undefined

  constructor() {
    this.#child = Bun.spawn([process.execPath, join(ROOT, 'bench/load/main.ts')], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc: (message) => this.#settle?.(message),
    })
  }

  async run(order: Order): Promise<Result> {
    const answer = new Promise<{ result: Result } | { failed: string }>((settle) => {
      this.#settle = settle
    })
    this.#child.send(order)
    const message = await answer
    if ('failed' in message) throw new Error(`The load generator: ${message.failed}`)
    return message.result
  }

  stop(): void {
    this.#child.kill('SIGKILL')
  }
}
