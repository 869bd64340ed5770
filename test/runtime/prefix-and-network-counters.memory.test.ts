/** Whoever makes up prefixes and networks takes no more memory than there is for them. */
import { expect, test } from 'bun:test'
import { networkName, PrefixAndNetworkCounters, prefixName } from '../../src/abuse/counters/prefix-and-network-counters'
import type { Place } from '../../src/abuse/rules/place'
import { NOW } from '../domain/sample'
import { aSighting } from '../domain/traffic-sample'
import { isNightly } from '../support/depth'
import { heldBytes } from '../support/memory'

const MOST = 20_000
/** Five times as many as are known hold as much as a million do. */
const MADE_UP = isNightly ? 1_000_000 : 100_000

const prefix = (hash: string) => prefixName('app_one', 'pk', hash)
const network = (hash: string) => networkName('app_one', 'pk', hash)

/** Wishes that are open, and requests in flight. */
const under = ({ open, inFlight }: Place) => open + inFlight

test('twenty thousand places are known, those seen last', () => {
  const places = new PrefixAndNetworkCounters()
  for (const name of ['kept', 'forgotten']) places.place(prefix(name)).open++
  for (let n = 0; n < MOST - 1; n++) {
    places.place(network(`${n}`))
    places.place(prefix('kept'))
  }
  expect(under(places.place(prefix('kept')))).toBe(1)
  expect(under(places.place(prefix('forgotten')))).toBe(0)
})

test('of whoever only asks nothing is remembered, and nobody is forgotten for it', () => {
  const places = new PrefixAndNetworkCounters()
  places.place(prefix('kept')).open++
  for (let n = 0; n < MOST; n++) {
    expect(under(places.peek(prefix(`${n}`)))).toBe(0)
    expect(under(places.peek(network(`${n}`)))).toBe(0)
  }
  expect(under(places.peek(prefix('kept')))).toBe(1)
})

test('of what is on its way and refused after all nothing is remembered either', () => {
  const places = new PrefixAndNetworkCounters()
  places.place(prefix('kept')).open++
  for (let n = 0; n < MOST; n++)
    for (const entered of [places.acquire(prefix(`${n}`)), places.acquire(network(`${n}`))]) entered.release()
  expect(under(places.peek(prefix('kept')))).toBe(1)
})

test('who is on the way to one place counts there, also when a code has gone there meanwhile', () => {
  const places = new PrefixAndNetworkCounters()
  const pending = () => under(places.peek(prefix('one')))
  const entered = [places.acquire(prefix('one')), places.acquire(prefix('one'))]
  expect(pending()).toBe(2)
  entered[0]?.release()
  places.place(prefix('one')).open++
  expect(pending()).toBe(2)
  entered[1]?.release()
  expect(pending()).toBe(1)
})

test('prefixes and networks of one name are two', () => {
  const places = new PrefixAndNetworkCounters()
  places.place(prefix('one')).open++
  expect(under(places.place(network('one')))).toBe(0)
  expect(places.place(prefix('one'))).toBe(places.place(prefix('one')))
})

test(`${MADE_UP} made-up ones take less than sixty megabytes`, async () => {
  const places = new PrefixAndNetworkCounters()
  const before = await heldBytes()
  for (let n = 0; n < MADE_UP; n++) places.place(network(`network ${n}`)).count(aSighting(), 'sent', undefined, NOW)
  expect((await heldBytes()) - before).toBeLessThan(60_000_000)
  expect(places.place(network(`network ${MADE_UP - 1}`)).hour.total('sent', NOW)).toBe(1)
})
