/**
 * `bun run deploy [--from REV] [--rounds N] [--seed S]`: a longer look than the test takes. With `--from` a data folder is
 * upgraded from the release of that revision, which git has to have; three servers go from today's build to the next and back.
 */
import { parseArgs } from 'node:util'
import { newFolder } from '../support'
import { type Build, nextRelease, releaseAt, today } from './build'
import { deploy } from './deploy'
import { inFolder, inPostgres, type Storage } from './storage'

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const seed = Number(values.seed)
const rounds = Number(values.rounds)
const folder = newFolder()
const print = (line: string) => void process.stdout.write(`${line}\n`)

async function story(name: string, storage: Storage, [first = today, ...builds]: Build[]): Promise<void> {
  print(`${name}: ${[first, ...builds].map(({ version }) => version).join(' → ')}, seed ${seed}`)
  const steps = builds.map((build) => ({ build }))
  try {
    print(JSON.stringify(await deploy({ storage, first, steps, seed, issuesEach: 200, tell: print }), null, 2))
  } finally {
    await storage.close()
  }
}

try {
  const next = nextRelease(folder.path)
  const before = values.from === undefined ? [] : [await releaseAt(values.from, folder.path)]
  await story('a data folder', inFolder(folder.path), [...before, today, next])
  const there = Array.from({ length: rounds }, () => [next, today]).flat()
  await story('PostgreSQL', await inPostgres(), [today, ...there])
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
} finally {
  folder.remove()
}
