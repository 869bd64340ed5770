/** `bun run mutate --seed N --room R`: which small mistakes in a room no test would notice. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { tellEvidence } from '../support/evidence'
import equivalents from './equivalents.json'
import { mutate } from './mutate'

const HELP = `bun run mutate --room ROOM [--seed N] [--count M] [--jobs J] [--least SHARE]

Makes M small changes to the code of a room, one at a time in a copy of the repository, and runs the tests that come to the
changed line until one fails. What no test notices is printed as a diff. The compiler's refusals are not counted, nor is what
test/mutate/equivalents.json holds for no change at all.

  --room   a folder of src/ (domain, usecases, http, …), or root: the files in src/ itself
  --seed   decides which changes (1)
  --count  how many (30)
  --jobs   how many copies work side by side (1)
  --least  fail below this share killed, such as 0.9
`

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    room: { type: 'string' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '30' },
    jobs: { type: 'string', default: '1' },
    least: { type: 'string', default: '0' },
  },
})
if (values.help || !values.room) {
  process.stdout.write(HELP)
  process.exit(values.help ? 0 : 2)
}

const { room, seed } = values
const verdicts = await mutate({
  root: join(import.meta.dir, '../..'),
  room,
  seed: Number(seed),
  count: Number(values.count),
  jobs: Number(values.jobs),
  equivalents,
  tell: (line) => process.stdout.write(`${line}\n`),
})
const killed = verdicts.filter(({ killedBy }) => killedBy).length
tellEvidence('mutants', verdicts.length)
tellEvidence('mutants killed', killed)
const survived = verdicts.length - killed
process.stdout.write(`${verdicts.length} mutants, ${killed} killed, ${survived} survived (seed ${seed}, ${room})\n`)
process.exit(killed >= Number(values.least) * verdicts.length ? 0 : 1)
