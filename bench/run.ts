/**
 * `bun run bench`: how fast, how flat, how big. Contenders alternate round by round in one run, each a process of its
 * own, as is the load generator; no network, nothing to build first. It never fails for being slow.
 *
 *   --quick        some ten minutes: fewer rounds and connections, 100,000 issues instead of 10,000,000
 *   --check        prints only the goals, and how far each is
 *   --only PART    requests, codes, delivery, nodes, flat, restart, footprint, overload, watched, soak or beside; may come several times
 *   --beside DIR   another clone with its dependencies, such as a former release; may come several times
 *   --minutes N    how long the soak takes, which runs only where it is named (default: 60)
 *   --issues N     how many the flat part fills
 *   --json FILE    where everything that was measured goes (default: dist/bench.json)
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { beside, clonesOf, WATCHED } from './beside'
import { codes } from './codes'
import { delivery } from './delivery'
import { flat } from './flat'
import { footprint } from './footprint'
import { nodes } from './nodes'
import { overload } from './overload'
import { Generator } from './processes'
import { goalTable, machine, type Part, table } from './report'
import { restart } from './restart'
import { soak } from './soak'
import { throughput } from './throughput'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    issues: { type: 'string' },
    beside: { type: 'string', multiple: true, default: [] },
    minutes: { type: 'string', default: '60' },
    json: { type: 'string', default: join(import.meta.dir, '../dist/bench.json') },
  },
})
const { quick } = values
const clones = values.beside.map((folder) => resolve(folder))
const issues = Number(values.issues ?? (quick ? 100_000 : 10_000_000))

const besideEffort = quick ? { rounds: 3, seconds: 1, warmUpSeconds: 3 } : { rounds: 9, seconds: 3, warmUpSeconds: 12 }

const PARTS: Record<string, (dir: string, generator: Generator) => Promise<Part>> = {
  requests: (dir, generator) =>
    throughput(
      dir,
      generator,
      quick
        ? { rounds: 5, seconds: 0.5, warmUpSeconds: 2, connections: [64] }
        : { rounds: 5, seconds: 3, warmUpSeconds: 4, connections: [1, 64] },
    ),
  codes: (dir, generator) =>
    codes(
      dir,
      generator,
      quick ? { rounds: 3, seconds: 0.5, warmUpSeconds: 1 } : { rounds: 7, seconds: 3, warmUpSeconds: 10 },
    ),
  delivery: (dir, generator) => delivery(dir, generator, { messages: quick ? 3_000 : 30_000 }),
  nodes: (_, generator) => nodes(generator, quick ? { rounds: 3, seconds: 0.5 } : { rounds: 7, seconds: 2 }),
  footprint: (dir, generator) => footprint(dir, generator),
  overload: (dir, generator) => overload(dir, generator, { seconds: quick ? 1 : 5 }),
  flat: (dir, generator) =>
    flat(dir, generator, { issues, rounds: 5, seconds: quick ? 0.2 : 1, warmUpSeconds: quick ? 0.3 : 1 }),
  restart: (dir) => restart(dir, quick ? [100_000] : [300_000, 1_000_000, 2_000_000]),
  watched: (dir, generator) => beside(dir, generator, WATCHED, besideEffort),
  beside: (dir, generator) => beside(dir, generator, clonesOf(clones), besideEffort),
  soak: (dir, generator) => soak(dir, generator, { minutes: Number(values.minutes) }),
}

const wanted =
  values.only ?? Object.keys(PARTS).filter((name) => (name === 'beside' ? clones.length > 0 : name !== 'soak'))
for (const name of wanted) {
  if (!Object.hasOwn(PARTS, name)) throw new Error(`--only: one of ${Object.keys(PARTS).join(', ')}`)
}

process.stdout.write(`${machine}\n`)
const dir = mkdtempSync(join(tmpdir(), 'watchword-bench-'))
const generator = new Generator()
const parts: Record<string, Part> = {}
mkdirSync(dirname(values.json), { recursive: true })
try {
  for (const name of wanted) {
    const own = join(dir, name)
    mkdirSync(own)
    const part = await PARTS[name]?.(own, generator)
    if (!part) continue
    parts[name] = part
    if (!values.check) process.stdout.write(`${table(part)}\n`)
    rmSync(own, { recursive: true })
    await Bun.write(values.json, JSON.stringify({ machine, quick, at: new Date().toISOString(), parts }, null, 2))
  }
} finally {
  generator.stop()
  rmSync(dir, { recursive: true, force: true })
}
process.stdout.write(`${goalTable(Object.values(parts))}\n`)
process.exit(0)
