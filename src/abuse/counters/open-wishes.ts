/** Wishes of one app and kind of key that are not in the scores of their places yet, in the memory of one server. */
import { SEES_TYPING } from '../../domain/access/caller'
import { DAY_MS } from '../../domain/shared/value'
import type { Place } from '../rules/place'
import { AGE_MS, type IssueSample } from '../rules/wish'
import type { TrafficSegment } from './traffic-segment'

interface OpenWish {
  /** Its newest code, and when that was made. */
  issueId: string
  createdAt: number
  readonly judged: TrafficSegment
  readonly prefix: Place | undefined
  readonly network: Place | undefined
  /** Sums of wishes like this one, whose phone came back after a refusal; undefined for all others. */
  readonly back: Place | undefined
  isKept: boolean
}

const MOST_KEPT = 50_000
/** A code that nobody has judged by then was removed meanwhile. */
const FORGOTTEN_AFTER_MS = 2 * AGE_MS.judged

export class OpenWishes {
  /** By the hash of their phones. */
  readonly #wishes = new Map<number, OpenWish>()
  /** When the last one of a phone was kept; those of the last day, where there are not more. */
  readonly #kept = new Map<number, number>()

  /** A wish begins, or goes on with a newer code. */
  open(
    sample: IssueSample,
    { judged, prefix, network, back }: Pick<OpenWish, 'judged' | 'prefix' | 'network' | 'back'>,
  ): void {
    const { phone, issueId, createdAt } = sample
    this.#forget(createdAt - FORGOTTEN_AFTER_MS)
    const known = this.#wishes.get(phone)
    if (known && !known.isKept) {
      Object.assign(known, { issueId, createdAt })
      return
    }
    if (known) this.#close(phone, known)
    const wish: OpenWish = { issueId, createdAt, judged, prefix, network, isKept: false, back }
    this.#wishes.set(phone, wish)
    for (const place of youngIn(wish)) {
      place.open++
      place.notePhone(phone)
    }
    if (sample.verifiedAt !== undefined) this.keep(sample)
  }

  keep({ phone, issueId }: IssueSample): void {
    const wish = this.#wishes.get(phone)
    if (wish?.issueId !== issueId || wish.isKept) return
    for (const place of youngIn(wish)) place.open--
    wish.isKept = true
    for (const place of youngIn(wish)) place.youngKept++
  }

  /** A code is over: its wish is kept or lost. */
  judge({ kind, phone, issueId, verifiedAt, createdAt, isEvidence, isReplaced }: IssueSample, at: number): void {
    const wish = this.#wishes.get(phone)
    if (wish?.issueId !== issueId) return
    this.#close(phone, wish)
    // Without seen typing a person is whoever comes back. Others are suspected while there are more codes than usual.
    const isSeen = SEES_TYPING[kind]
    const isTyped = verifiedAt !== undefined && verifiedAt - createdAt < AGE_MS.judged
    const isKept = isSeen ? isTyped : wish.back !== undefined
    const isLost = isSeen ? isEvidence : wish.judged.isCrowded(at)
    if (isReplaced || !(isKept || isLost) || (isKept && this.#wasKept(phone, at))) return
    const { lostShare } = wish.judged.usual
    for (const place of placesOf(wish)) place.suspicion.record(isKept ? 'kept' : 'lost', lostShare, at)
  }

  /** Within the last day: a phone is one person, whose further wishes are no further people. */
  #wasKept(phone: number, at: number): boolean {
    const before = this.#kept.get(phone)
    if (before !== undefined && at - before < DAY_MS) return true
    this.#kept.delete(phone)
    this.#kept.set(phone, at)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest)
    return false
  }

  #forget(before: number): void {
    for (const [phone, wish] of this.#wishes) {
      if (wish.createdAt >= before) return
      this.#close(phone, wish)
    }
  }

  #close(phone: number, wish: OpenWish): void {
    this.#wishes.delete(phone)
    for (const place of youngIn(wish))
      if (wish.isKept) place.youngKept--
      else place.open--
  }
}

/** The places where a wish counts while it is young. Wishes of phones that came back count by themselves. */
const youngIn = (wish: OpenWish): Place[] => (wish.back ? [wish.back] : placesOf(wish))

/** The places that a wish says something about. */
const placesOf = ({ judged, prefix, network, back }: OpenWish): Place[] =>
  [prefix, network, judged.country, back].filter((place) => place !== undefined)
