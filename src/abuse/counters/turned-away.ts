/**
 * Phones that were refused for what others do. Whoever comes back is let in: people do, and those who rotate numbers do not.
 * A phone that does not is a lost wish of the place that it was refused for. In the memory of one server.
 */
import { MINUTE_MS, SECOND_MS } from '../../domain/shared/value'
import { RETRY_AFTER_MS } from '../rules/assess'
import { COMES_BACK_WITHIN_MS, type Place } from '../rules/place'

/** A page that counts down to the second may be a little early. */
const EARLIEST_MS = RETRY_AFTER_MS - 5 * SECOND_MS
const LOST_AFTER_MS = 2 * MINUTE_MS
/** A flood makes up as many as it likes: those that were refused last are kept. */
const MOST = 50_000

interface TurnedAwayPhone {
  readonly phone: number
  readonly at: number
  /** How often it had come back before. */
  readonly times: number
  isBack: boolean
  readonly places: readonly Place[]
  readonly lostShare: number
}

export class TurnedAway {
  /** By 48 bits of the phone's hash, in the order of their first refusal. */
  readonly #phones = new Map<number, TurnedAwayPhone>()
  /** Those that may still come back in time, in the same order. */
  readonly #waiting: TurnedAwayPhone[] = []

  /** `places`: those that it says something about, with the share of wishes that are usually lost there. */
  note(phone: number, where: Pick<TurnedAwayPhone, 'places' | 'lostShare'>, now: number): void {
    const times = this.timesBack(phone, now)
    const known = this.#phones.get(phone)
    if (times > 0) this.noteBack(phone, now)
    else if (known && now - known.at < COMES_BACK_WITHIN_MS) return
    this.#phones.delete(phone)
    const refused = { phone, at: now, times, isBack: false, ...where }
    for (const place of where.places) place.refused.add(1, now)
    this.#phones.set(phone, refused)
    if (this.#waiting.length < MOST) this.#waiting.push(refused)
    const [oldest] = this.#phones.keys()
    if (this.#phones.size > MOST && oldest !== undefined) this.#phones.delete(oldest)
  }

  /** How often it has come back after a refusal, if it asks now; 0 where that is too early or too late. */
  timesBack(phone: number, now: number): number {
    const refused = this.#phones.get(phone)
    if (!refused || now - refused.at < EARLIEST_MS || now - refused.at >= COMES_BACK_WITHIN_MS) return 0
    return refused.times + 1
  }

  /** It asks again; answers whether that is new. */
  noteBack(phone: number, now: number): boolean {
    const refused = this.#phones.get(phone)
    if (!refused || refused.isBack) return false
    refused.isBack = true
    for (const place of refused.places) place.returned.add(1, now)
    return true
  }

  /** Counts those that did not come back. */
  advance(now: number): void {
    const next = this.#waiting.findIndex(({ at }) => now - at < LOST_AFTER_MS)
    const due = this.#waiting.splice(0, next === -1 ? this.#waiting.length : next)
    for (const { phone, places, lostShare } of due.filter(({ isBack }) => !isBack))
      for (const place of places) {
        place.notePhone(phone)
        place.suspicion.record('lost', lostShare, now)
      }
  }
}
