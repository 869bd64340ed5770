/**
 * `bun run torture:nodes [--events N] [--seed S] [--patroni] [--pooler]`: a longer look than the test takes, with a replica
 * that takes over; `--patroni`, over two members that Patroni keeps; `--pooler`, behind a PgBouncer that pools sessions.
 */
import { parseArgs } from 'node:util'
import { tortureNodes } from './torture'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '300' },
    patroni: { type: 'boolean', default: false },
    pooler: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const [events, seed] = [Number(values.events), Number(values.seed)]
process.stdout.write(`${events} events, seed ${seed}\n`)
try {
  const tell = (line: string) => process.stdout.write(`${line}\n`)
  const database = values.patroni ? 'patroni' : 'replica'
  const told = await tortureNodes({ events, seed, leases: 'wait', database, hasPooler: values.pooler, tell })
  process.stdout.write(`${JSON.stringify(told, null, 2)}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
