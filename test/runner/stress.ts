/** The suite again and again on a machine that has other things to do: what fails by luck then is a defect of it or of the product. */
import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { spawn } from 'bun'
import { seededRandom } from '../support/random'
import type { Failure, Result } from './lane'

interface Stress {
  rounds: number
  seed: number
  run(seed: number): Promise<Result>
}

/** Long enough that what is due meanwhile is late, and shorter than any time limit of the product that a user meets. */
const PAUSED_AT_MOST_MS = 1_000
const BETWEEN_PAUSES_MS = 1_500

/** Prints every test that ever failed with its round's seed and load; answers whether one did. */
export async function stress({ rounds, seed, run }: Stress): Promise<boolean> {
  const failed: string[] = []
  for (let round = 1; round <= rounds; round++) {
    const roundSeed = seed + round - 1
    const startedAt = performance.now()
    const { load, result } = await underLoad(roundSeed, () => run(roundSeed))
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
    process.stdout.write(
      `round ${round} of ${rounds}: ${result.passed} passed, ${result.failures.length} failed (${minutes} min, seed ${roundSeed}, ${load()})\n`,
    )
    failed.push(...result.failures.map((failure) => row(failure, roundSeed, load())))
  }
  process.stdout.write(failed.length === 0 ? `No test failed in ${rounds} rounds.\n` : `${failed.join('\n')}\n`)
  return failed.length > 0
}

const row = ({ file, name, command }: Failure, seed: number, load: string) =>
  `${file}: ${name} (seed ${seed}, ${load})\n  ${command}`

/** A loop that ends with the runner, also where that is killed. */
const BUSY = 'const { ppid } = process; while (process.ppid === ppid);'

/** Two busy loops, and processes of the tests that stand still now and then. */
async function underLoad<T>(seed: number, run: () => Promise<T>): Promise<{ load: () => string; result: T }> {
  const busy = [1, 2].map(() => spawn([process.execPath, '-e', BUSY], { stdio: ['ignore', 'ignore', 'ignore'] }))
  const pauses = new Pauses(
    seed,
    busy.map(({ pid }) => pid),
  )
  try {
    const result = await run()
    return { result, load: () => `${busy.length} busy loops on ${cpus().length} cores, ${pauses.count} pauses` }
  } finally {
    pauses.stop()
    for (const loop of busy) loop.kill('SIGKILL')
  }
}

/** Stops a process of ours at random, and lets it go on a moment later. */
class Pauses {
  count = 0
  #isOver = false

  constructor(
    seed: number,
    private readonly spared: readonly number[],
  ) {
    void this.#go(seededRandom(seed))
  }

  stop(): void {
    this.#isOver = true
  }

  async #go({ below, pick }: ReturnType<typeof seededRandom>): Promise<void> {
    while (!this.#isOver) {
      await Bun.sleep(below(BETWEEN_PAUSES_MS))
      const running = descendants(process.pid).filter((pid) => !this.spared.includes(pid))
      if (running.length === 0) continue
      const pid = pick(running)
      if (!signal(pid, 'SIGSTOP')) continue
      this.count++
      await Bun.sleep(below(PAUSED_AT_MOST_MS))
      signal(pid, 'SIGCONT')
    }
  }
}

/** It may have ended meanwhile. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/** Every process that this one has started, directly or not, as Linux tells them. */
function descendants(of: number): number[] {
  const children = new Map<number, number[]>()
  for (const entry of readdirSync('/proc')) {
    const parent = /^\d+$/.test(entry) ? parentOf(entry) : undefined
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(entry)])
  }
  const found = new Set(children.get(of))
  for (const pid of found) for (const child of children.get(pid) ?? []) found.add(child)
  return [...found]
}

function parentOf(pid: string): number | undefined {
  try {
    // The program's name stands in parentheses before it, and may have any character.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1])
  } catch {
    return undefined
  }
}
