/** What a simulation has come to, for people and for programs. */
import { MINUTE_MS } from '../../src/domain/shared/value'
import type { Simulated } from './simulate'

const COLUMNS: ReadonlyArray<readonly [title: string, width: number]> = [
  ['world', 40],
  ['seed', 4],
  ['requests', 8],
  ['sent', 6],
  ['credits', 7],
  ['beyond', 6],
  ['people', 6],
  ['refused', 7],
  ['delayed', 7],
  ['incidents', 9],
  ['seen', 7],
]

const row = (cells: readonly string[]) =>
  cells
    .map((cell, index) => (index === 0 ? cell.padEnd(COLUMNS[0]?.[1] ?? 0) : cell.padStart(COLUMNS[index]?.[1] ?? 0)))
    .join('  ')

export const HEADING = row(COLUMNS.map(([title]) => title))

const percent = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(2)}%`

export function line({ world, seed, people, attackers, beyond, seenAfterMs }: Simulated): string {
  const [first] = seenAfterMs
  return row([
    ...[
      world.name,
      seed,
      people.asked + attackers.asked,
      people.sent + attackers.sent,
      people.cost + attackers.cost,
    ].map(String),
    ...[beyond, people.wishes].map(String),
    ...[percent(people.without, people.wishes), percent(people.delayed, people.wishes), String(seenAfterMs.length)],
    first === undefined ? '' : `${(first / MINUTE_MS).toFixed(1)}m`,
  ])
}

export const json = ({ world, ...simulated }: Simulated): string => JSON.stringify({ world: world.name, ...simulated })
