/** Whoever makes up prefixes and networks takes no more memory than there is for them. */
import { expect, test } from 'bun:test'
import { networkName, PrefixAndNetworkCounters, prefixName } from '../../src/abuse/counters/prefix-and-network-counters'
import { NOW } from '../domain/sample'
import { aSighting } from '../domain/traffic-sample'
import { isNightly } from '../support/depth'
import { heldBytes } from '../support/memory'

const MOST = 20_000
/** Five times as many as are known hold as much as a million do. */
const MADE_UP = isNightly ? 1_000_000 : 100_000

const prefix = (hash: string) => prefixName('app_one', 'pk', hash)
const network = (hash: string) => networkName('app_one', 'pk', hash)

test('twenty thousand places are known, those seen last', () => {
  const places = new PrefixAndNetworkCounters()
  for (const name of ['kept', 'forgotten']) places.prefix(prefix(name)).record(aSighting(), 'sent')
  for (let n = 0; n < MOST - 1; n++) {
    places.network(network(`${n}`))
    places.prefix(prefix('kept'))
  }
  expect(places.prefix(prefix('kept')).pending(NOW)).toBe(1)
  expect(places.prefix(prefix('forgotten')).pending(NOW)).toBe(0)
})

test('of whoever only asks nothing is remembered, and nobody is forgotten for it', () => {
  const places = new PrefixAndNetworkCounters()
  places.prefix(prefix('kept')).record(aSighting(), 'sent')
  for (let n = 0; n < MOST; n++) {
    expect(places.peekPrefix(prefix(`${n}`)).pending(NOW)).toBe(0)
    expect(places.peekNetwork(network(`${n}`)).countries(NOW)).toBe(0)
  }
  expect(places.peekPrefix(prefix('kept')).pending(NOW)).toBe(1)
})

test('of what is on its way and refused after all nothing is remembered either', () => {
  const places = new PrefixAndNetworkCounters()
  places.prefix(prefix('kept')).record(aSighting(), 'sent')
  for (let n = 0; n < MOST; n++)
    for (const entered of [places.acquirePrefix(prefix(`${n}`)), places.acquireNetwork(network(`${n}`))])
      entered.release()
  expect(places.peekPrefix(prefix('kept')).pending(NOW)).toBe(1)
})

test('who is on the way to one place counts there, also when a code has gone there meanwhile', () => {
  const places = new PrefixAndNetworkCounters()
  const pending = () => places.peekPrefix(prefix('one')).pending(NOW)
  const entered = [places.acquirePrefix(prefix('one')), places.acquirePrefix(prefix('one'))]
  expect(pending()).toBe(2)
  entered[0]?.release()
  places.prefix(prefix('one')).record(aSighting(), 'sent')
  expect(pending()).toBe(2)
  entered[1]?.release()
  expect(pending()).toBe(1)
})

test('prefixes and networks of one name are two', () => {
  const places = new PrefixAndNetworkCounters()
  places.prefix(prefix('one')).record(aSighting(), 'sent')
  expect(places.network(network('one')).pending(NOW)).toBe(0)
  expect(places.prefix(prefix('one'))).toBe(places.prefix(prefix('one')))
})

test(`${MADE_UP} made-up ones take less than sixty megabytes`, async () => {
  const places = new PrefixAndNetworkCounters()
  const before = await heldBytes()
  for (let n = 0; n < MADE_UP; n++) places.network(network(`network ${n}`)).record(aSighting(), 'sent')
  expect((await heldBytes()) - before).toBeLessThan(60_000_000)
  expect(places.network(network(`network ${MADE_UP - 1}`)).countries(NOW)).toBe(1)
})
