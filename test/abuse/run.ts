/**
 * `bun run simulate-abuse [--seeds N] [--from N] [--world NAME] [--hours N] [--json] [--product [--postgres]]`: what attacks
 * cost, and whom protection refuses; by its rules alone, or by the product over SQLite or PostgreSQL. `--guess`: how often one
 * phone is guessed at in a year. `--random N`: N worlds that are drawn, the worst ten of which are shown.
 */
import { parseArgs } from 'node:util'
import { IS_POSTGRES } from '../support/place'
import { guess } from './guessing'
import { product } from './product'
import { described, randomWorld } from './random-world'
import { quick, simulate } from './simulate'
import { HEADING, json, line } from './table'
import { type AbuseWorld, WORLDS } from './worlds'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1' },
    from: { type: 'string', default: '1' },
    world: { type: 'string', default: '' },
    hours: { type: 'string', default: '24' },
    json: { type: 'boolean', default: false },
    product: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    guess: { type: 'boolean', default: false },
    random: { type: 'string' },
  },
})
if (values.guess) {
  await playYears()
  process.exit()
}
if (values.random !== undefined) {
  await playRandom(Number(values.random), Number(values.from))
  process.exit()
}
const worlds = WORLDS.filter(({ name }) => name.includes(values.world))
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => Number(values.from) + index)
if (worlds.length === 0) throw new Error(`no such world; there are: ${WORLDS.map(({ name }) => name).join(' · ')}`)
if (values.postgres && !IS_POSTGRES) process.exit(await overPostgres())
if (!values.json) process.stdout.write(`${HEADING}\n`)
for (const world of worlds)
  for (const seed of seeds) {
    const simulated = await simulate(world, seed, {
      hours: Number(values.hours),
      open: values.product ? product : quick,
    })
    process.stdout.write(`${values.json ? json(simulated) : line(simulated)}\n`)
  }

// A database that was started would keep it running.
process.exit()

/** The same once more: on which store it is is settled when it is loaded. */
function overPostgres(): Promise<number> {
  const env = { ...process.env, TEST_STORE: 'postgres' }
  return Bun.spawn([process.execPath, ...process.argv.slice(1)], { env, stdio: ['inherit', 'inherit', 'inherit'] })
    .exited
}

/** Whoever guesses takes what there is, or stays below what makes codes come seldom. */
async function playYears(): Promise<void> {
  for (const aMonth of [undefined, 59, 30]) {
    const { guesses, signIns } = await guess({ days: 365, aMonth })
    const manner = aMonth === undefined ? 'whenever it may' : `${aMonth} a month with each kind of key`
    process.stdout.write(`${manner}: ${guesses} guesses in a year; its owner signed in ${signIns} times\n`)
  }
}

/** The ten worst of so many random worlds, and how many of all go without a code. */
async function playRandom(count: number, first: number): Promise<void> {
  const played: Array<{ world: AbuseWorld; share: number; refused: Record<string, number> }> = []
  for (let seed = first; seed < first + count; seed++) {
    const world = randomWorld(seed)
    const { people } = await simulate(world, seed)
    played.push({ world, share: people.without / Math.max(1, people.wishes), refused: people.refused })
  }
  const worst = played.toSorted((one, other) => other.share - one.share)
  const above = (share: number) => played.filter((one) => one.share > share).length
  process.stdout.write(`${count} worlds: ${above(0.005)} above 0.5 % without a code, ${above(0.02)} above 2 %\n`)
  for (const { world, share, refused } of worst.slice(0, 10))
    process.stdout.write(
      `${(100 * share).toFixed(2)} %  ${world.name}: ${described(world)} ${JSON.stringify(refused)}\n`,
    )
}
