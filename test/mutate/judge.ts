/** Whether any test notices a mutant, or the compiler another file that no longer fits; and which is the first. */
import type { Copy, Outcome } from './copy'
import type { Mutant } from './mutant'
import { type Reach, testsOf } from './reach'

export interface Verdict {
  mutant: Mutant
  /** The first test that failed, or the compiler; none where the mutant survived. */
  killedBy: string | undefined
  ms: number
}

/** One test waits so long, a file several times what it took before: whatever takes longer hangs. */
const TEST_HANGS_AFTER_MS = 20_000
const FILE_HANGS_AFTER_MS = 60_000
const TIMES_AS_LONG = 5
/** What ends without having looked says nothing, so the compiler gets all the time it may need. */
const COMPILED_WITHIN_MS = 300_000

/** Some lines are on the way of every request. If the likeliest tests, which took so long before, do not notice, nobody waits. */
const LOOKED_FOR_MS = 60_000

/** Whole stories, for what no single test tells. They say nothing about the command line or one vendor's words. */
const SIMULATION = ['test/simulation/run.ts', '--seeds', '5']
const NOT_SIMULATED = ['cli', 'console', 'providers', 'system']

/**
 * Slow, so it comes last; of the changed file itself nothing is drawn that it refuses. Each checker works out the same types
 * again: four, as there are by default, take twice the computing of one.
 */
const COMPILER = [
  ...['node_modules/.bin/tsc', '-p', '.', '--checkers', '1'],
  ...['--noUnusedLocals', 'false', '--noUnusedParameters', 'false'],
]

export interface Judge {
  copy: Copy
  reaches: readonly Reach[]
  room: string
}

export async function judge(mutant: Mutant, { copy, reaches, room }: Judge): Promise<Verdict> {
  const began = performance.now()
  const before = await copy.replace(mutant.path, mutant.text)
  const killedBy =
    (await firstFailure(copy, testsOf(copy, mutant, reaches))) ??
    (NOT_SIMULATED.includes(room)
      ? undefined
      : await failureOf(copy, 'the simulation', SIMULATION, FILE_HANGS_AFTER_MS)) ??
    (await failureOf(copy, 'the compiler', COMPILER, COMPILED_WITHIN_MS))
  await copy.replace(mutant.path, before)
  return { mutant, killedBy, ms: performance.now() - began }
}

async function firstFailure(copy: Copy, tests: readonly Reach[]): Promise<string | undefined> {
  let left = LOOKED_FOR_MS
  for (const { test, ms } of tests) {
    left -= ms
    if (left < 0) break
    const args = ['test', '--bail', `--timeout=${TEST_HANGS_AFTER_MS}`, `./${test}`]
    const outcome = await copy.run(args, FILE_HANGS_AFTER_MS + TIMES_AS_LONG * ms)
    if (outcome.exitCode !== 0) return `${test}: ${failureIn(outcome)}`
  }
  return undefined
}

async function failureOf(
  copy: Copy,
  what: string,
  args: readonly string[],
  boundMs: number,
): Promise<string | undefined> {
  const outcome = await copy.run(args, boundMs)
  return outcome.exitCode === 0 ? undefined : `${what}: ${failureIn(outcome)}`
}

function failureIn({ stderr, isHung }: Outcome): string {
  if (isHung) return 'hangs'
  const [, name] = /^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/m.exec(stderr) ?? []
  return name ?? /^.*(?:error|Error).*$/m.exec(stderr)?.[0] ?? 'fails'
}
