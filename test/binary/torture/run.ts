/** `bun run torture [--kills N] [--seed S] [--binary FILE]`: a longer look than the test takes; it waits for real leases. */
import { parseArgs } from 'node:util'
import { tellEvidence } from '../../support/evidence'
import { compile } from '../compiled'
import { torture } from './torture'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    binary: { type: 'string' },
  },
})
const [kills, seed] = [Number(values.kills), Number(values.seed)]
process.stdout.write(`${kills} kills, seed ${seed}\n`)
try {
  const tell = (line: string) => process.stdout.write(`${line}\n`)
  const binary = values.binary ?? (await compile())
  process.stdout.write(`${JSON.stringify(await torture({ binary, kills, seed, leases: 'wait', tell }), null, 2)}\n`)
  tellEvidence('kills', kills)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
