/** A snapshot of an app's traffic says all that was known, and is read by servers of its own format only. */
import { expect, test } from 'bun:test'
import { AppTraffic } from '../../src/abuse/counters/app-traffic'
import { networkName, PrefixAndNetworkCounters, prefixName } from '../../src/abuse/counters/prefix-and-network-counters'
import { stateIn, textOf, type WatchedState } from '../../src/abuse/counters/traffic-snapshot'
import { Place } from '../../src/abuse/rules/place'
import { AGE_MS, type AgeBucket } from '../../src/abuse/rules/wish'
import { DAY_MS } from '../../src/domain/shared/value'
import { APP_ID } from '../abuse/made'
import { NOW } from '../domain/sample'
import { aSighting } from '../domain/traffic-sample'

const UNTIL = { sent: NOW, early: NOW, soon: NOW, judged: NOW, late: NOW }
const SINCE = NOW - DAY_MS

/** Every name in a snapshot of this format. */
const NAMES = [
  'apps at counted country counts credits early format hour hours judged kept keptAfterMs kind late lost phones pk places',
  'relay score segments sent since sk soon storedUntil suspicion traffic until unverified verified wasted wastedLately',
].join(' ')

/** Of codes that were typed at once, late and not at all, in two countries. */
function traffic() {
  const places = new PrefixAndNetworkCounters()
  const app = new AppTraffic(APP_ID, places, [], SINCE)
  for (let n = 0; n < 60; n++) {
    const createdAt = NOW - 3_600_000 + n * 1_000
    const verifiedAt = [createdAt + 5_000, createdAt + 200_000, undefined][n % 3]
    const where = { country: n % 2 === 0 ? 'KR' : 'JP', prefix: `prefix${n % 7}`, network: `network${n % 5}` }
    const code = aSighting({
      ...where,
      createdAt,
      verifiedAt,
      phone: n,
      issueId: `${n}`,
      isEvidence: n % 4 !== 0,
    })
    for (const stage of Object.keys(AGE_MS) as AgeBucket[]) app.record(code, stage, app.bucketsOf(code))
  }
  return { app, places }
}

const again = (state: WatchedState) =>
  stateIn({ appId: APP_ID, madeAt: NOW, state: textOf(state) }, SINCE, NOW) as WatchedState

test('what is restored is what was known', () => {
  const { app, places } = traffic()
  const state = again({ until: UNTIL, counted: [[5, [6, 7]]], traffic: app.state })
  expect([state.until, state.counted]).toEqual([UNTIL, [[5, [6, 7]]]])
  const restoredPlaces = new PrefixAndNetworkCounters()
  const restored = new AppTraffic(APP_ID, restoredPlaces, [], NOW)
  restored.restore(state.traffic)
  expect(JSON.parse(JSON.stringify(restored.state))).toEqual(JSON.parse(JSON.stringify(app.state)))
  const kind = aSighting().kind
  for (const name of [prefixName(APP_ID, kind, 'prefix3'), prefixName(APP_ID, kind, 'unknown')])
    expect(restoredPlaces.peek(name).hour.total('sent', NOW)).toBe(places.peek(name).hour.total('sent', NOW))
  const network = networkName(APP_ID, kind, 'network2')
  expect(restoredPlaces.peek(network).state).toEqual(places.peek(network).state)
})

test('restored places are forgotten with their app, and before those that were seen since', () => {
  const places = new PrefixAndNetworkCounters()
  const counter = { ...new Place().state, counts: [] }
  places.restore([[prefixName(APP_ID, 'sk', 'one'), counter]])
  places.forget(APP_ID)
  expect(places.stateOf(APP_ID)).toEqual([])
  places.restore(['one', 'two'].map((hash) => [prefixName(APP_ID, 'sk', hash), counter] as const))
  places.place(prefixName(APP_ID, 'sk', 'two'))
  for (let n = 0; n < 19_999; n++) places.place(prefixName(APP_ID, 'sk', `${n}`))
  const nowhere = places.peek('nowhere')
  const isKnown = (hash: string) => places.peek(prefixName(APP_ID, 'sk', hash)) !== nowhere
  expect(['one', 'two'].map(isKnown)).toEqual([false, true])
})

test('a snapshot has the two thousand places that were seen last: more would hold the event loop', () => {
  const places = new PrefixAndNetworkCounters()
  const counter = { ...new Place().state, counts: [] }
  const names = Array.from({ length: 2_500 }, (_, n) => prefixName(APP_ID, 'sk', `${n}`))
  places.restore(names.slice(0, 1_000).map((name) => [name, counter] as const))
  for (const name of names.slice(1_000)) places.place(name)
  expect(places.stateOf(APP_ID).map(([name]) => name)).toEqual(names.slice(-2_000))
})

test('one of another format, of a day ago or of a later time is none', () => {
  const state = { until: UNTIL, counted: [], traffic: traffic().app.state }
  const read = (text: string, since = SINCE, now = NOW) =>
    stateIn({ appId: APP_ID, madeAt: NOW, state: text }, since, now)
  const text = textOf(state)
  expect(read(text)).toBeDefined()
  expect(read(text.replace('"format":4', '"format":0'))).toBeUndefined()
  expect([read(text, NOW + 1), read(text, SINCE, NOW - 1)]).toEqual([undefined, undefined])
})

test('its format is as it was: whoever changes what is in it raises FORMAT and changes this list', () => {
  const names = new Set<string>()
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect)
    else if (typeof value === 'object' && value !== null)
      for (const [name, part] of Object.entries(value)) {
        names.add(name)
        collect(part)
      }
  }
  const text = textOf({ until: UNTIL, counted: [], traffic: traffic().app.state })
  collect(JSON.parse(text))
  expect(text).toStartWith('{"format":4,')
  expect([...names].sort().join(' ')).toBe(NAMES)
})
