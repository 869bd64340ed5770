/** `bun run simulate [--seeds N] [--from N]`: a longer look than the tests take; ends at the first broken promise. */
import { parseArgs } from 'node:util'
import { simulate } from './simulate'

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '1000' }, from: { type: 'string', default: '1' } },
})
const first = Number(values.from)
const last = first + Number(values.seeds) - 1
for (let seed = first; seed <= last; seed++) {
  try {
    await simulate(seed)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  }
  if (seed % 100 === 0 || seed === last) process.stdout.write(`seeds ${first} to ${seed} keep every promise\n`)
}
