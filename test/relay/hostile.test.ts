/** Hostile requests to relays: none is a 500, and no log line says a code or a number. `ci:nightly` sends 100,000. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { RELAY_SOURCES, type RelaySource } from '../../src/domain/relays/relay'
import { isNightly } from '../support/depth'
import { IS_POSTGRES } from '../support/place'
import { seededRandom } from '../support/random'
import { HANGS_AFTER_MS } from '../support/until'
import { World } from '../support/world'
import { openRelay, PLATFORMS, type Signed, TO } from './platforms'

setDefaultTimeout(isNightly ? 10 * HANGS_AFTER_MS : HANGS_AFTER_MS)

const REQUESTS = isNightly && !IS_POSTGRES ? 100_000 : 4_000
const SEED = Number(process.env.TEST_SEED ?? 34)
const random = seededRandom(SEED)

let world: World
let relays: Map<RelaySource, { path: string; secret: string }>
beforeAll(async () => {
  world = await World.start()
  const { appId } = await world.furnish()
  relays = new Map()
  for (const source of RELAY_SOURCES) {
    const mode = random.chance(0.3) ? 'test' : 'live'
    relays.set(source, await openRelay(world, appId, source, { name: source, mode }))
  }
})
afterAll(() => world.stop())

/** Words that stand in every request, and may stand in no log line. */
const CODE = 'Q7X4Z9'
const NUMBER = TO.slice(4)

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const HOSTILE: ReadonlyArray<() => unknown> = [
  ...[null, true, false, 0, -1, 1.5, Number.MAX_SAFE_INTEGER, '', ' ', [], {}].map((value) => () => value),
  () => 'x'.repeat(random.below(60_000)),
  () => `${CODE}\u0000`,
  () => `\ud800${CODE}`,
  () => `${TO}\r\nx-injected: 1`,
  () => `+${'9'.repeat(random.below(400))}`,
  () => `'; DROP TABLE issues; -- ${CODE}`,
  () => '%{(#a=1)}<script>',
  () => '٠١٢٣٤٥',
  () => '::ffff:999.1.1.1%eth0',
  () => 'zz-ZZ-x-'.repeat(random.below(40)),
  () => [TO, [CODE, { code: CODE }]],
  () => ({ toString: CODE, constructor: { prototype: CODE }, __proto__: null, length: 4 }),
  () => Array.from({ length: random.below(500) }, () => CODE),
  () => String.fromCharCode(...Array.from({ length: 40 }, () => random.below(0xffff))),
]

/** A body with one value in another's place. */
function mutated(body: unknown): unknown {
  if (random.chance(0.3) || typeof body !== 'object' || body === null) return random.pick(HOSTILE)()
  const names = Object.keys(body)
  const name = random.chance(0.1) ? random.pick(['id', 'type', 'ip', 'locale', 'text', 'code']) : random.pick(names)
  return { ...body, [name]: mutated(Reflect.get(body, name)) }
}

const RAW: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  (text) => text,
  (text) => text,
  (text) => text.slice(0, random.below(text.length + 1)),
  (text) => text.replace(/"/g, "'"),
  (text) => `${text}${text}`,
  (text) => `\ufeff${text}`,
  (text) => text.replace(/\}$/, `,"__proto__":{"code":"${CODE}"}}`),
  (text) => text.replace(/:"/, ':1e999,"again":"'),
  () => deep(random.below(32_000)),
  () => `{"a":${deep(20)}}`,
  () => `to=${TO.slice(1)}&to=${CODE}&code=${CODE}&text=%00%ff%`,
  () => '',
  () => 'x'.repeat(70_000),
]

const BROKEN: ReadonlyArray<(headers: Signed) => Signed> = [
  (headers) => headers,
  (headers) => headers,
  (headers) => headers,
  (headers) => withEach(headers, () => ''),
  (headers) => withEach(headers, (value) => value.slice(0, random.below(value.length + 1))),
  (headers) => withEach(headers, (value) => `${value},${value}`),
  (headers) => withEach(headers, (value) => 'a=,v1=, '.repeat(1_000) + value),
  (headers) => withEach(headers, (value) => value.toUpperCase()),
  () => ({
    'zitadel-signature': `t=${'9'.repeat(40)},v1=${CODE}`,
    'x-signature-v2': 't=,v2=',
    'svix-signature': 'v1,',
  }),
  () => ({ authorization: `Basic ${Buffer.from(`:${'x:'.repeat(4_000)}`).toString('base64')}` }),
  () => ({ authorization: 'Basic %%%' }),
  () => ({ authorization: `Bearer ${CODE}`.repeat(500) }),
]
const withEach = (headers: Signed, change: (value: string) => string): Signed =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, name === 'content-type' ? value : change(value)]),
  )

const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data',
  'x/y; charset=utf-16',
  '',
]

function hostile() {
  const source = random.pick(RELAY_SOURCES)
  const { path, secret } = relays.get(source) ?? { path: '', secret: '' }
  const body = random.pick(RAW)(JSON.stringify(mutated(PLATFORMS[source].body(CODE))) ?? '')
  const at = Math.floor(world.clock.now() / 1_000) + random.pick([0, 0, 0, 0, -301, 301])
  const headers = random.pick(BROKEN)(PLATFORMS[source].sign(body, secret, at))
  if (random.chance(0.2)) headers['content-type'] = random.pick(TYPES)
  const method = random.chance(0.9) ? 'POST' : random.pick(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])
  const other = () =>
    random.pick([
      `/relay/${CODE}/x`,
      `${path}/${NUMBER}`,
      '/relay/',
      `${path}%00`,
      `/relay/${source}/`,
      '/relay/plain/__proto__',
    ])
  return { method, path: random.chance(0.9) ? path : other(), body, headers }
}

test(`${REQUESTS} hostile requests, seed ${SEED}`, async () => {
  const statuses = new Map<number, number>()
  for (let n = 0; n < REQUESTS; n++) {
    const { method, path, body, headers } = hostile()
    // Of many addresses: otherwise most would be refused for their number.
    const ip = `198.51.${n % 250}.${1 + random.below(250)}`
    const { status } = await world.send(method, path, body, { headers, ip })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (status >= 500)
      throw new Error(`Request ${n} was answered ${status}: ${JSON.stringify({ method, path, body, headers })}`)
    if (n % 50 === 0) await world.leap(61_000)
  }
  await world.advance(11 * 60_000)
  // They have come through each door.
  for (const status of [200, 400, 401, 404, 413]) expect(statuses.get(status) ?? 0).toBeGreaterThan(REQUESTS / 200)
  const telling = world.logged.filter((line) => line.includes(CODE) || line.includes(NUMBER))
  expect(telling).toEqual([])
  expect(world.logged.filter((line) => line.includes('"error"'))).toEqual([])
})
