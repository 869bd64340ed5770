/** Plays worlds that are drawn, and says of each how people fared, and what an attack on it was paid for. */
import { attackOn, described, randomWorld } from './random-world'
import { simulate } from './simulate'

interface PlayedWorld {
  readonly name: string
  /** Of people, who goes without a code. */
  readonly share: number
}

const seedsFrom = (count: number, first: number) => Array.from({ length: count }, (_, n) => first + n)

export async function playRandom(count: number, first: number): Promise<PlayedWorld[]> {
  const played: PlayedWorld[] = []
  for (const seed of seedsFrom(count, first)) {
    const world = randomWorld(seed)
    const { people } = await simulate(world, seed)
    const name = `${world.name}: ${described(world)} ${JSON.stringify(people.refused)}`
    played.push({ name, share: people.without / Math.max(1, people.wishes) })
  }
  return played.sort((one, other) => other.share - one.share)
}

interface PlayedAttack extends PlayedWorld {
  /** Credits that the attack is paid for, and that it should be at most. */
  readonly beyond: number
  readonly limit: number
  /** Of people, who waits half a minute. */
  readonly delayed: number
}

export async function playAttacks(count: number, first: number): Promise<PlayedAttack[]> {
  const played: PlayedAttack[] = []
  for (const seed of seedsFrom(count, first)) {
    const world = randomWorld(seed)
    const attack = attackOn(world, seed)
    const { beyond, people } = await simulate({ ...world, attack }, seed)
    const of = (some: number) => some / Math.max(1, people.wishes)
    const name = `${seed} ${attack.name}: ${described(world)} ${JSON.stringify(people.refused)}`
    const limit = world.isKnown ? 150 : 600
    played.push({ name, beyond, limit, share: of(people.without), delayed: of(people.delayed) })
  }
  return played.sort((one, other) => other.beyond - one.beyond)
}
