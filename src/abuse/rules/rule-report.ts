/**
 * Rule hits as owners see them: sums by rule, country, prefix and network, and whether more codes are refused than usual.
 * Decisions: "Abuse". Live mode only.
 */
import type { Rule } from './rule'

/** Codes that rules were against, and their credits. */
export interface Against {
  refused: number
  refusedCredits: number
  /** Sent, since the rule is only watched. */
  watched: number
  watchedCredits: number
}

export const nothingAgainst = (): Against => ({ refused: 0, refusedCredits: 0, watched: 0, watchedCredits: 0 })

export function addTo(sum: Against, other: Against): void {
  sum.refused += other.refused
  sum.refusedCredits += other.refusedCredits
  sum.watched += other.watched
  sum.watchedCredits += other.watchedCredits
}

/** Hits of one rule in one place. Hashes are keyed, hexadecimal digits; empty: several places, or unknown. */
export interface RuleReportRow extends Against {
  readonly rule: Rule
  readonly country: string
  readonly prefix: string
  readonly network: string
}

/** Rows kept of each subject. Attackers choose prefixes and networks, so there may be any number. */
export const MOST_LISTED = { rule: 20, country: 200, prefix: 50, network: 50 } as const
export type Subject = keyof typeof MOST_LISTED

const nameOf: Record<Subject, (found: RuleReportRow) => string> = {
  rule: ({ rule }) => rule,
  country: ({ country }) => country,
  // The same digits are of one country, but who shows them has to name it.
  prefix: ({ country, prefix }) => (prefix === '' ? '' : `${country}/${prefix}`),
  network: ({ network }) => network,
}
export function placeIn(name: string): { country: string; prefix: string } {
  const [country = '', prefix = ''] = name.split('/')
  return { country, prefix }
}

const SUBJECTS = Object.keys(MOST_LISTED) as Subject[]
/** A code may be for a number of no country. */
const mayBeUnknown = (subject: Subject) => subject === 'country'

/** Rule hits of a period. */
export class RuleReport {
  readonly total = nothingAgainst()
  readonly #by: Record<Subject, Map<string, Against>> = {
    rule: new Map(),
    country: new Map(),
    prefix: new Map(),
    network: new Map(),
  }

  add(found: RuleReportRow): void {
    addTo(this.total, found)
    for (const subject of SUBJECTS) {
      const name = nameOf[subject](found)
      if (name !== '' || mayBeUnknown(subject)) this.#add(subject, name, found)
    }
  }

  include(other: RuleReport): void {
    addTo(this.total, other.total)
    for (const subject of SUBJECTS) for (const [name, sum] of other.#by[subject]) this.#add(subject, name, sum)
  }

  /** Rows with the most codes, largest first. */
  most(subject: Subject): Array<[name: string, sum: Against]> {
    return [...this.#by[subject]]
      .sort(([, one], [, other]) => other.refused + other.watched - one.refused - one.watched)
      .slice(0, MOST_LISTED[subject])
  }

  /**
   * Keeps only the largest rows of each subject. A place that is never among them is not listed, but counts in the
   * total.
   */
  trim(): void {
    for (const subject of SUBJECTS) {
      const most = this.most(subject)
      if (most.length < this.#by[subject].size) this.#by[subject] = new Map(most)
    }
  }

  #add(subject: Subject, name: string, added: Against): void {
    const sum = this.#by[subject].get(name) ?? nothingAgainst()
    addTo(sum, added)
    this.#by[subject].set(name, sum)
  }
}

const DAY_HOURS = 24
const COMPARED_DAYS = 7
/** The running hour and the one before. */
const LATELY_HOURS = 2
export const COMPARED_HOURS = COMPARED_DAYS * DAY_HOURS + LATELY_HOURS

/** Fewer refusals in an hour are a few people who asked again too soon. */
const LEAST_UNUSUAL = 5
/** Standard deviations of a Poisson distribution; chance exceeds them in 1 of 700 hours. */
const DEVIATIONS = 3

/** Refused codes per hour. */
export interface RefusedLately {
  /** The larger of the last two hours. */
  lately: number
  /** The median over seven days of the worst hour of a day, so that one attack does not raise it. */
  usual: number
  isUnusual: boolean
}

/** `byHour`: refused codes in each of the last `COMPARED_HOURS` hours, oldest first, the running hour last. */
export function compareRefused(byHour: readonly number[]): RefusedLately {
  const lately = Math.max(...byHour.slice(-LATELY_HOURS))
  const worst = Array.from({ length: COMPARED_DAYS }, (_, day) =>
    Math.max(...byHour.slice(day * DAY_HOURS, (day + 1) * DAY_HOURS)),
  )
  const usual = worst.toSorted((one, other) => one - other)[Math.floor(COMPARED_DAYS / 2)] ?? 0
  return { lately, usual, isUnusual: lately >= LEAST_UNUSUAL && lately > usual + DEVIATIONS * Math.sqrt(usual) }
}
