/** A world of a seed, with its attack and without. */
import { HOUR_MS } from '../../src/domain/shared/value'
import { type Played, play } from './play'
import { QuickService } from './quick'
import type { Service } from './service'
import { NO_PAST, ordinaryDaysOf, type Past, pastOf } from './warm-up'
import type { AbuseWorld } from './worlds'

/** A Wednesday; each seed begins its day at another hour. */
const BEGIN = Date.parse('2026-03-18T00:00:00.000Z')
export const beginOf = (seed: number): number => BEGIN + ((seed * 7) % 24) * HOUR_MS

export interface Begin {
  readonly world: AbuseWorld
  readonly past: Past
  readonly from: number
  readonly seed: number
}

/** Opens what a world is played against. */
export type Open = (begin: Begin) => Promise<Service>

export const quick: Open = async ({ world, past, from, seed }) => new QuickService(world, past, from, seed)

export interface Simulated extends Played {
  readonly world: AbuseWorld
  readonly seed: number
  /** Credits more than on the same day without the attack. */
  readonly beyond: number
}

const DAY_HOURS = 24

/** Days before, and days without an attack, are those of many worlds. */
const known = new Map<string, Promise<unknown>>()
function once<T>(name: string, make: () => Promise<T>): Promise<T> {
  const made = (known.get(name) as Promise<T> | undefined) ?? make()
  known.set(name, made)
  return made
}

/** Surges have names, since what they do is not to be seen. */
const nameOf = ({ name: _, attack: __, ...honest }: AbuseWorld, seed: number): string => JSON.stringify([honest, seed])

export async function simulate(
  world: AbuseWorld,
  seed: number,
  { open = quick, hours = DAY_HOURS }: { open?: Open; hours?: number } = {},
): Promise<Simulated> {
  const from = beginOf(seed)
  const name = nameOf(world, seed)
  const before = ordinaryDaysOf(world)
  const past = world.isKnown ? await once(nameOf(before, seed), () => pastOf(before, seed, from)) : NO_PAST
  const playIn = async (played: AbuseWorld) => {
    const service = await open({ world: played, past, from, seed })
    try {
      return await play({ service, world: played, seed, from, to: from + hours * HOUR_MS })
    } finally {
      await service.stop()
    }
  }
  const { attack, ...honest } = world
  const without = await once(`${hours} of ${open.name} ${name}`, () => playIn(honest))
  if (!attack) return { ...without, world, seed, beyond: 0 }
  const played = await playIn(world)
  // What honest people are refused is no saving.
  const beyond = played.attackers.cost + Math.max(0, played.people.cost - without.people.cost)
  return { ...played, world, seed, beyond }
}
