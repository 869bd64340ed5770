/** `bun run fuzz [--seeds N] [--from S] [--only SUBJECT,…]`: a longer look than the test takes. */
import { parseArgs } from 'node:util'
import { fuzz, SUBJECTS } from './fuzz'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    only: { type: 'string', default: SUBJECTS.map(({ name }) => name).join() },
  },
})
const from = Number(values.from)
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => from + index)

const found = await fuzz({
  seeds,
  only: values.only.split(','),
  tell: (line) => process.stdout.write(`${line}\n`),
})
for (const fault of found) process.stderr.write(`${fault}\n`)
process.exit(found.length === 0 ? 0 : 1)
