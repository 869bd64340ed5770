/** How a server reads the database's clock: from answers that come sooner or later. */
import { describe, expect, test } from 'bun:test'
import { databaseClock } from '../../src/system/clock'
import { NOW } from '../domain/sample'
import { VirtualClock } from '../support/clock'

/** A server whose own clock is wrong, and a database that is asked; answers by how much it reads the time wrongly then. */
function reading(wrongByMs: number) {
  const own = new VirtualClock(NOW + wrongByMs)
  let setByMs = 0
  const database = () => NOW + own.elapsed() + setByMs
  const { clock, see } = databaseClock(own)
  const error = () => clock.now() - database()
  const ask = ({ there, back }: { there: number; back: number }) => {
    const sentAt = own.elapsed()
    own.leap(there)
    const stamped = database()
    own.leap(back)
    see({ stamped, sentAt, answeredAt: own.elapsed() })
    return error()
  }
  const set = (byMs: number) => {
    setByMs += byMs
  }
  return { ask, set, error }
}

const QUICK = { there: 1, back: 1 }

describe.each([0, 1_000, 300_000, -300_000])('a server whose own clock is wrong by %d ms', (wrongByMs) => {
  test('knows the time once it has asked, but for the way back', () => {
    expect(Math.abs(reading(wrongByMs).ask({ there: 3, back: 5 }))).toBeLessThanOrEqual(5)
  })

  test.each([
    ['there', { there: 60_000, back: 1 }],
    ['back', { there: 1, back: 60_000 }],
    ['both ways', { there: 30_000, back: 30_000 }],
  ])('learns nothing from an answer that was long under way: %s', (_, slow) => {
    const { ask } = reading(wrongByMs)
    ask(QUICK)
    for (let times = 0; times < 3; times++) expect(Math.abs(ask(slow))).toBeLessThanOrEqual(1)
    expect(Math.abs(ask(QUICK))).toBeLessThanOrEqual(1)
  })

  test('never goes back because an answer was quicker than the ones before', () => {
    const { ask, error } = reading(wrongByMs)
    let before = ask({ there: 4_000, back: 2_000 })
    for (const slow of [QUICK, { there: 2_000, back: 0 }, { there: 0, back: 5_000 }, QUICK]) {
      ask(slow)
      expect(error()).toBeGreaterThanOrEqual(before)
      before = error()
    }
  })

  test.each([3_600_000, -3_600_000, 20, -20])('follows when the database is set by %d ms', (byMs) => {
    const { ask, set } = reading(wrongByMs)
    ask(QUICK)
    set(byMs)
    expect(Math.abs(ask(QUICK))).toBeLessThanOrEqual(1)
  })
})
