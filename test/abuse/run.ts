/**
 * `bun run simulate-abuse [--seeds N] [--from N] [--world NAME] [--hours N] [--json] [--product [--postgres]]`: what attacks
 * cost, and whom protection refuses; by its rules alone, or by the product over SQLite or PostgreSQL. `--guess`: how often one
 * phone is guessed at in a year. `--random N`: N worlds that are drawn, the worst ten of which are shown; `--attacks N`: the
 * same with an attack on each.
 */
import { parseArgs } from 'node:util'
import { IS_POSTGRES } from '../support/place'
import { guess } from './guessing'
import { product } from './product'
import { playAttacks, playRandom } from './random-play'
import { quick, simulate } from './simulate'
import { HEADING, json, line } from './table'
import { WORLDS } from './worlds'

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
    attacks: { type: 'string' },
  },
})
if (values.guess) {
  await playYears()
  process.exit()
}
if (values.attacks !== undefined) {
  await tellAttacks(Number(values.attacks), Number(values.from))
  process.exit()
}
if (values.random !== undefined) {
  await tellRandom(Number(values.random), Number(values.from))
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
async function tellRandom(count: number, first: number): Promise<void> {
  const played = await playRandom(count, first)
  const above = (share: number) => played.filter((one) => one.share > share).length
  process.stdout.write(`${count} worlds: ${above(0.005)} above 0.5 % without a code, ${above(0.02)} above 2 %\n`)
  for (const { name, share } of played.slice(0, 10)) process.stdout.write(`${(100 * share).toFixed(2)} %  ${name}\n`)
}

/** The dearest attacks on so many, and those that leave most people without. */
async function tellAttacks(count: number, first: number): Promise<void> {
  const played = await playAttacks(count, first)
  const dear = played.filter(({ beyond, limit }) => beyond > limit).length
  const harmful = played.filter(({ share }) => share > 0.05).length
  process.stdout.write(
    `${count} attacks: ${dear} cost more than 150 or 600, ${harmful} leave more than 5 % without a code\n`,
  )
  const worst = played.toSorted((one, other) => other.share - one.share).slice(0, 5)
  for (const { name, beyond, share, delayed } of new Set([...played.slice(0, 10), ...worst]))
    process.stdout.write(
      `${beyond} credits, ${(100 * share).toFixed(2)} % without, ${(100 * delayed).toFixed(0)} % later: ${name}\n`,
    )
}
