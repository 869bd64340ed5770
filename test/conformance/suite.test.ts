/** `watchword conformance`: what it asks, how it waits, and what it says of a server that breaks a rule. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { XMLParser } from 'fast-xml-parser'
import { httpApi } from '../../src/conformance/http-api'
import { junit, tapLines } from '../../src/conformance/report'
import type { Untyped } from '../../src/conformance/rule'
import { RULES } from '../../src/conformance/rules'
import { holdTo, type RuleResult } from '../../src/conformance/suite'
import { type Furnished, WIRES, World } from '../support/world'

let world: World
let keys: Furnished
beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
})
afterEach(() => world.stop())

/** What a server answers instead of what it should. */
type Lie = (path: string, answer: { status: number; body: Untyped }) => void

const api = (wire: 'rest' | 'rpc' = 'rest', lie: Lie = () => {}) =>
  httpApi({
    ...{ url: 'http://localhost/v1', key: keys.test, keys: {}, wire, run: 'a-run' },
    async fetch(url, init) {
      const response = await world.app.fetch(new Request(url, init), '127.0.0.1')
      const answer = { status: response.status, body: await response.json() }
      lie(new URL(url).pathname, answer)
      return Response.json(answer.body, { status: answer.status, headers: response.headers })
    },
    now: () => world.clock.elapsed(),
    pause: (ms) => world.advance(ms),
  })
/** In virtual time only those that wait for nothing may be looked at together. */
const PROMPT = RULES.filter(({ isOfTestMode }) => !isOfTestMode)
const broken = async (lie: Lie) =>
  (await holdTo(api('rest', lie), PROMPT, () => {}))
    .filter(({ outcome }) => outcome === 'broken')
    .map(({ name }) => name)

test.each(WIRES)('a server keeps all rules over %s', async (wire) => {
  const results = await holdTo(api(wire), PROMPT, () => {})
  expect(results.filter(({ outcome }) => outcome === 'broken')).toEqual([])
  expect(results.filter(({ outcome }) => outcome === 'skipped').map(({ reason }) => reason)).toEqual([
    'needs --other-key',
    'needs --other-key',
  ])
})

describe('a server is found out', () => {
  test('that takes every code', async () => {
    const found = await broken((path, { body }) => {
      if (path === '/v1/verify' && body.verified === false) Object.assign(body, { verified: true })
    })
    expect(found).toContain('POST /verify: a wrong code uses one attempt, and the last one ends the issue')
    expect(found).toContain('POST /verify: right codes at once verify exactly once')
  })

  test('that makes another issue for the same key', async () => {
    const found = await broken((path, { body }) => {
      if (path === '/v1/issue' && body.issueId) Object.assign(body, { issueId: crypto.randomUUID() })
    })
    expect(found).toContain('POST /issue: many requests at once with one key make one issue')
  })

  test('that shows the metadata', async () => {
    const found = await broken((path, { body }) => {
      if (path === '/v1/status') Object.assign(body, { metadata: { conformance: 'metadata-of-conformance' } })
    })
    expect(found).toContain('Limits: metadata is stored, and never returned')
    expect(found).toContain('GET /status: the status view has its fields, and neither number nor code')
  })

  test('that refuses with another envelope', async () => {
    const found = await broken((_, answer) => {
      if (answer.status === 401) answer.body = { error: 'unauthorized' }
    })
    expect(found).toHaveLength(9)
  })
})

test.each(WIRES)('scenario 6 is answered at once over %s', async (wire) => {
  const input = { phoneNumber: '010-0000-0006', purpose: 'a', idempotencyKey: 'a' }
  expect(await api(wire).call('issue', input)).toMatchObject({ status: 429, body: { data: { limit: 'perPhone' } } })
  expect(world.clock.elapsed()).toBe(0)
})

test('the suite waits for the rate limit of its key, and for no other', async () => {
  const paused: number[] = []
  const answers = [429, 429, 200, 429].map((status, number) =>
    Response.json(
      { data: { policy: 'platform', limit: number === 3 ? 'perPhone' : 'perKey' } },
      { status, headers: { 'retry-after': String(number + 1) } },
    ),
  )
  const limited = httpApi({
    ...{ url: 'http://localhost/v1', key: keys.test, keys: {}, wire: 'rest', run: 'a-run' },
    fetch: async () => answers.shift() ?? Response.error(),
    now: () => 0,
    async pause(ms) {
      paused.push(ms)
    },
  })
  expect((await limited.call('balance')).status).toBe(200)
  expect((await limited.call('balance')).status).toBe(429)
  expect(paused).toEqual([1_000, 2_000])
})

const RESULTS: RuleResult[] = [
  { part: 'A', name: 'A: it is #1', outcome: 'kept', durationMs: 12 },
  { part: 'A', name: 'A: it is <2>', outcome: 'broken', reason: 'the status is "500"\n& no more', durationMs: 1_500 },
  { part: 'B', name: 'B: it is 3', outcome: 'skipped', reason: 'needs --other-key', durationMs: 0 },
]

test('the results as TAP', () => {
  expect(RESULTS.flatMap((result, index) => tapLines(result, index + 1))).toEqual([
    'ok 1 - A: it is \\#1',
    'not ok 2 - A: it is <2>',
    '  ---',
    '  message: "the status is \\"500\\"\\n& no more"',
    '  ...',
    'ok 3 - B: it is 3 # SKIP needs --other-key',
  ])
})

test('the results as XML of JUnit', () => {
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '', htmlEntities: true })
  const { testsuites } = parser.parse(junit(RESULTS))
  expect(testsuites).toMatchObject({ tests: '3', failures: '1', skipped: '1' })
  expect(testsuites.testsuite.testcase).toEqual([
    { classname: 'A', name: 'A: it is #1', time: '0.012' },
    { classname: 'A', name: 'A: it is <2>', time: '1.500', failure: { message: 'the status is "500"\n& no more' } },
    { classname: 'B', name: 'B: it is 3', time: '0.000', skipped: { message: 'needs --other-key' } },
  ])
})
