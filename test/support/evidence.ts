/** What a run has seen, for docs/evidence.md: a line of JSON for each in the file that `TEST_EVIDENCE` names, as nightly does. */
import { appendFileSync } from 'node:fs'
import { spawnSync } from 'bun'

/** Names the file; no setting of the program's. */
export const EVIDENCE = 'TEST_EVIDENCE'

export interface Evidence {
  what: Figure
  count: number
  /** The tree it was seen on. */
  commit: string
  /** Unix milliseconds. */
  at: number
}

/** What is counted, as the page says it. */
export const FIGURES = {
  seeds: 'Seeds of the simulation of one server that keep every promise',
  'seeds of servers': 'Seeds of the simulation of several servers that keep every promise',
  kills: 'Kills of a server at work: nothing lost, sent twice or charged twice',
  'kills of servers': 'Kills and faults of servers, network and database: nothing lost, sent twice or charged twice',
  requests: 'Hostile requests: no 500, nothing changed, nobody else kept waiting',
  mutants: 'Small mistakes put into the code',
  'mutants killed': 'Of these, noticed by a test',
  upgrades: 'Upgrades of recorded databases of releases',
  restores: 'Restores and checks of recorded backups of releases',
  tests: 'Tests of the whole nightly run, all passed',
} as const
export type Figure = keyof typeof FIGURES

/** Only what has held is told: a test calls this last. */
export function tellEvidence(what: Figure, count: number): void {
  const file = process.env[EVIDENCE]
  if (file === undefined) return
  const git = spawnSync(['git', 'rev-parse', 'HEAD'], { cwd: import.meta.dir })
  const seen: Evidence = { what, count, commit: git.stdout.toString().trim(), at: Date.now() }
  appendFileSync(file, `${JSON.stringify(seen)}\n`)
}
