/** Times of many subjects: as a map has them. */
import { expect, test } from 'bun:test'
import { Times } from '../../src/node/times'
import { RUNS } from '../domain/sample'
import { heldBytes } from '../support/memory'
import fc from '../support/property'

const SUBJECTS = 60
const subject = fc.nat(SUBJECTS - 1).map((n) => `subject ${n}`)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('set' as const), subject, time: fc.nat(100) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('delete' as const), subject }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('look' as const),
      from: fc.nat(100),
      looks: fc.integer({ min: 1, max: 40 }),
    }),
  },
)

test('are kept, changed and forgotten as by a map, whatever lies beside them', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
      const times = new Times()
      const map = new Map<string, number>()
      for (const one of steps) {
        if (one.does === 'set') {
          times.set(one.subject, one.time)
          map.set(one.subject, one.time)
        } else if (one.does === 'delete') {
          times.delete(one.subject)
          map.delete(one.subject)
        } else {
          const { from, looks } = one
          // The rest of a look that was begun, and a whole one.
          for (let rounds = 0; rounds < 2; )
            if (!times.look(looks, (time) => (time < from ? undefined : time))) rounds++
          for (const [name, time] of map) if (time < from) map.delete(name)
        }
      }
      for (let n = 0; n < SUBJECTS; n++) expect(times.get(`subject ${n}`)).toBe(map.get(`subject ${n}`))
    }),
    RUNS,
  )
})

test('a look may change a time', () => {
  const times = new Times()
  times.set('one', 5)
  expect(times.look(1_000, (time) => time + 1)).toBe(false)
  expect(times.get('one')).toBe(6)
})

test('take a few numbers each, and nothing once they are forgotten', async () => {
  const MANY = 100_000
  const fill = (times: Times) => {
    for (let n = 0; n < MANY; n++) times.set(`subject ${n}`, n)
  }
  const empty = (times: Times) => {
    for (let rounds = 0; rounds < 20; ) if (!times.look(MANY, () => undefined)) rounds++
  }
  // What the engine keeps of a first run is none of it.
  const first = new Times()
  fill(first)
  empty(first)
  const before = await heldBytes()
  const times = new Times()
  fill(times)
  // The engine counts such arrays twice.
  expect(((await heldBytes()) - before) / MANY).toBeLessThan(100)
  empty(times)
  expect(((await heldBytes()) - before) / MANY).toBeLessThan(2)
  expect(times.get('subject 1')).toBeUndefined()
})
