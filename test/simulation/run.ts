/** `bun run simulate [--seeds N] [--from N]`: a longer look than the tests take; ends at the first broken promise and keeps its seed. */

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { tellEvidence } from '../support/evidence'
import keptSeeds from './kept-seeds.json'
import { simulate } from './simulate'

const KEPT_SEEDS = join(import.meta.dir, 'kept-seeds.json')

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '1000' }, from: { type: 'string', default: '1' } },
})
const first = Number(values.from)
const last = first + Number(values.seeds) - 1
for (let seed = first; seed <= last; seed++) {
  try {
    await simulate(seed)
    await simulate(seed, {}, true)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    await Bun.write(KEPT_SEEDS, `${JSON.stringify([...new Set([...keptSeeds, seed])])}\n`)
    process.exit(1)
  }
  if (seed % 100 === 0 || seed === last) process.stdout.write(`seeds ${first} to ${seed} keep every promise\n`)
}
tellEvidence('seeds', Number(values.seeds))
