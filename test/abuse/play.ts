/** Plays a day of a world against a service, and counts what comes of it. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/shared/value'
import { type SeededRandom, seededRandom } from '../support/random'
import { Agenda } from './agenda'
import { type Attack, everyMs } from './attackers'
import { arrivals, type Crowd, typesAt, typingMs, untilAskedAgainMs } from './people'
import { anyAddress, mobileOf, mobileWithin, sharedAddress } from './places'
import { isSent, type Refused, type Sent, type Service } from './service'
import type { AbuseWorld } from './worlds'

export interface Count {
  asked: number
  sent: number
  /** Credits. */
  cost: number
  /** By which rule, or limit. */
  readonly refused: Record<string, number>
}

export interface Played {
  readonly people: Count & {
    /** Not how often they asked, but how many they were. */
    wishes: number
    /** Who got none within ten minutes, by asking again when told. */
    without: number
    /** Who had to ask again. */
    delayed: number
  }
  readonly attackers: Count
  /** How long after the beginning an operator could see that something is wrong, milliseconds. */
  readonly seenAfterMs: readonly number[]
}

const nothing = (): Count => ({ asked: 0, sent: 0, cost: 0, refused: {} })

/** Nobody waits for longer. */
const PATIENCE_MS = 10 * MINUTE_MS
const MOST_ASKED = 3
/** The phones of one company, and how many of a family share one. */
const A_BLOCK = '+82103456'
const A_FAMILY = 3
/** More people have more phones. */
const MOST_SURGE = 30
const REPORTED_MS = 3 * SECOND_MS
/** What was asked for last is typed, or is not. */
const AFTERWARDS_MS = 15 * MINUTE_MS

interface Stage {
  readonly service: Service
  readonly world: AbuseWorld
  readonly seed: number
  /** Unix milliseconds. */
  readonly from: number
  readonly to: number
}

export async function play(stage: Stage): Promise<Played> {
  const { service, world, from, to } = stage
  const agenda = new Agenda()
  const played = { people: { ...nothing(), wishes: 0, without: 0, delayed: 0 }, attackers: nothing() }
  for (const [index, crowd] of world.crowds.entries()) peopleOf(stage, agenda, played.people, crowd, index)
  if (world.attack) new Attackers(stage, agenda, played.attackers, world.attack).begin()
  for (let next = agenda.take(); next && next.at < to + AFTERWARDS_MS; next = agenda.take()) {
    await service.until(next.at)
    await next.act()
  }
  await service.until(to + AFTERWARDS_MS)
  const seenAfterMs = (await service.incidents()).map((at) => at - from)
  return { ...played, seenAfterMs }
}

/**
 * They come whatever else happens, and each decides alone: so that a day is the same with an attack and without, and its
 * first hours are those of the whole.
 */
function peopleOf(stage: Stage, agenda: Agenda, count: Played['people'], crowd: Crowd, index: number): void {
  const { seed, from, to } = stage
  const coming = seededRandom(seed * 1_009 + index)
  const deciding = seededRandom(seed * 1_013 + index)
  for (const at of arrivals(crowd, from, to, from, coming)) {
    const person = new Person(stage, agenda, count, crowd, seededRandom(deciding.below(2 ** 31)))
    agenda.add(at, () => person.facts(at))
  }
}

function countIn(count: Count, answer: Sent | Refused): void {
  count.asked++
  if (isSent(answer)) {
    count.sent++
    count.cost += answer.price
    return
  }
  const by = answer.rule ?? answer.limit
  count.refused[by] = (count.refused[by] ?? 0) + 1
}

class Person {
  readonly #asked: { phone: string; country: string; kind: Crowd['kind']; address: string }
  #newest: Sent | undefined
  #times = 0
  #wishedAt = 0

  constructor(
    private readonly stage: Stage,
    private readonly agenda: Agenda,
    private readonly count: Played['people'],
    private readonly crowd: Crowd,
    private readonly random: SeededRandom,
  ) {
    const { country, kind, behindShared, sharedAddresses } = crowd
    const address = random.chance(behindShared) ? sharedAddress(sharedAddresses, random) : anyAddress(random)
    const { inOneBlock = 0, inFamilies = 0, surge } = crowd
    const families = (crowd.aDay * inFamilies * (surge ? MOST_SURGE : 1)) / A_FAMILY
    const phone = random.chance(inFamilies)
      ? `+8210567${10_000 + random.below(Math.ceil(families))}`
      : random.chance(inOneBlock)
        ? mobileWithin(A_BLOCK, random)
        : mobileOf(country, random)
    this.#asked = { phone, country, kind, address }
  }

  /** A code is wanted now. */
  async facts(at: number): Promise<void> {
    this.#wishedAt = at
    this.#times++
    this.count.wishes++
    await this.#ask(at)
  }

  async #ask(at: number): Promise<void> {
    const answer = await this.stage.service.issue({ ...this.#asked, isProven: this.stage.world.hasProof === true })
    countIn(this.count, answer)
    if (isSent(answer)) {
      if (at > this.#wishedAt) this.count.delayed++
      this.#newest = answer
      return this.#await(at, answer)
    }
    const { retryAfterMs } = answer
    const again = at + (retryAfterMs ?? Number.POSITIVE_INFINITY) + this.random.below(5 * SECOND_MS)
    if (again <= this.#wishedAt + PATIENCE_MS) this.agenda.add(again, () => this.#ask(again))
    else this.count.without++
  }

  #await(at: number, sent: Sent): void {
    const { random, crowd, stage, agenda } = this
    const arrives = !isOut(stage, at) && !random.chance(0.01)
    if (arrives && stage.world.reports) agenda.add(at + REPORTED_MS, () => stage.service.arrived(sent))
    if (arrives && random.chance(typesAt(crowd, (at - stage.from) / HOUR_MS)))
      agenda.add(at + typingMs(random, crowd.typingMs), () => this.#type(sent))
    else if (this.#times < (crowd.asksAtMost ?? MOST_ASKED) && random.chance(crowd.asksAgain)) {
      const again = at + untilAskedAgainMs(random)
      agenda.add(again, () => this.facts(again))
    }
  }

  async #type(sent: Sent): Promise<void> {
    if (this.#newest === sent) await this.stage.service.verify(sent)
  }
}

const isOut = ({ world: { outage }, from }: Stage, at: number) =>
  outage !== undefined && at >= from + outage[0] * HOUR_MS && at < from + outage[1] * HOUR_MS

class Attackers {
  readonly #random: SeededRandom
  #waitsUntil = 0

  constructor(
    private readonly stage: Stage,
    private readonly agenda: Agenda,
    private readonly count: Count,
    private readonly attack: Attack,
  ) {
    this.#random = seededRandom(stage.seed * 2_003)
  }

  begin(): void {
    const { fromHour = 0 } = this.attack
    this.#next(this.stage.from + fromHour * HOUR_MS + this.#random.below(everyMs(this.attack)))
  }

  #next(at: number): void {
    if (at < this.stage.to) this.agenda.add(at, () => this.#ask(at))
  }

  async #ask(at: number): Promise<void> {
    this.#next(Math.max(at + everyMs(this.attack), this.#waitsUntil))
    const { service, world } = this.stage
    const { attack, agenda } = this
    const random = this.#random
    const answer = await service.issue({ ...attack.ask(random), kind: attack.kind })
    countIn(this.count, answer)
    if (!isSent(answer)) {
      if (attack.isPatient) this.#waitsUntil = at + (answer.retryAfterMs ?? DAY_MS)
      return
    }
    // Its messages arrive: somebody is paid for that.
    if (world.reports && !attack.isSilent) agenda.add(at + REPORTED_MS, () => service.arrived(answer))
    if (random.chance(attack.types ?? 0)) agenda.add(at + typingMs(random), () => service.verify(answer))
  }
}
