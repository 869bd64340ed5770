import { describe, expect, test } from 'bun:test'
import { EVENT_TYPES } from '../../contract/event'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/shared/value'
import {
  afterAttempt,
  assertEndpoint,
  disable,
  type Endpoint,
  type EventSubject,
  enable,
  type HookFilters,
  isSubscribed,
  type Judgement,
  judge,
  readRetryAfter,
  rotateSecret,
  validSecrets,
  webhookRetryMs,
} from '../../src/domain/webhooks/webhook'
import fc from '../support/property'
import { anEndpoint, NOW, RUNS, thrownBy } from './sample'

const subjectOf = (changes: Partial<EventSubject> = {}): EventSubject => ({
  type: 'otp.sent',
  method: 'sms',
  purpose: 'signup',
  metadata: {},
  ...changes,
})

/** As it comes out of the database or a request: `__proto__` is a key like any other. */
const parsed = (text: string) => JSON.parse(text)

describe('an endpoint is told', () => {
  test.each<[string, boolean, HookFilters, Partial<EventSubject>]>([
    ['of everything, where it has no filters', true, {}, { metadata: { plan: 'pro' } }],
    ['of its channel', true, { method: ['sms'] }, {}],
    ['of no other channel', false, { method: ['alimtalk'] }, {}],
    ['of any of its purposes', true, { type: ['login', 'signup'] }, {}],
    ['of no other purpose', false, { type: ['login'] }, {}],
    ['of no purpose that begins alike', false, { type: ['sign'] }, {}],
    ['of issues with its metadata', true, { metadata: { plan: ['free', 'pro'] } }, { metadata: { plan: 'pro' } }],
    ['of no issues with other metadata', false, { metadata: { plan: ['pro'] } }, { metadata: { plan: 'free' } }],
    ['of no issues without that metadata', false, { metadata: { plan: ['pro'] } }, { metadata: { other: 'pro' } }],
    ['of none with half of its metadata', false, { metadata: { a: ['1'], b: ['2'] } }, { metadata: { a: '1' } }],
    ['of those with all of its metadata', true, { metadata: { a: ['1'], b: ['2'] } }, { metadata: { a: '1', b: '2' } }],
    ['of none that passes one filter of two', false, { method: ['sms'], type: ['login'] }, {}],
    ['of nothing, where a filter lets nothing pass', false, { type: [] }, {}],
  ])('%s: %p', (_, expected, filters, subject) => {
    expect(isSubscribed(anEndpoint({ filters }), subjectOf(subject))).toBe(expected)
  })

  test.each([...EVENT_TYPES])('of %s if it asked for it, and if it is not disabled', (type) => {
    const others = EVENT_TYPES.filter((other) => other !== type)
    expect(isSubscribed(anEndpoint({ events: [type] }), subjectOf({ type }))).toBe(true)
    expect(isSubscribed(anEndpoint({ events: others }), subjectOf({ type }))).toBe(false)
    expect(isSubscribed(anEndpoint({ events: [type], disabledAt: NOW }), subjectOf({ type }))).toBe(false)
  })

  test.each<[string, boolean, HookFilters['metadata'], EventSubject['metadata']]>([
    ['constructor is a key', true, { constructor: ['x'] }, { constructor: 'x' } as never],
    ['constructor is missing', false, { constructor: ['x'] }, {}],
    ['__proto__ is a key', true, parsed('{"__proto__":["x"]}'), parsed('{"__proto__":"x"}')],
    ['__proto__ is missing', false, parsed('{"__proto__":["x"]}'), {}],
    ['a value is inherited', false, { plan: ['pro'] }, Object.create({ plan: 'pro' })],
  ])('by metadata of the issue’s own: %s', (_, expected, filter, metadata) => {
    expect(isSubscribed(anEndpoint({ filters: { metadata: filter ?? {} } }), subjectOf({ metadata }))).toBe(expected)
  })

  const words = fc.constantFrom('a', 'b', 'constructor', '__proto__', 'toString')
  const dictionary = <T>(values: fc.Arbitrary<T>) =>
    fc.array(fc.tuple(words, values), { maxLength: 4 }).map((entries): Record<string, T> => Object.fromEntries(entries))
  const someFilters = fc.record(
    {
      method: fc.array(fc.constantFrom('sms', 'alimtalk'), { minLength: 1, maxLength: 2 }),
      type: fc.array(words, { minLength: 1, maxLength: 3 }),
      metadata: dictionary(fc.array(words, { minLength: 1, maxLength: 3 })),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<HookFilters>
  const someSubject = fc.record({
    type: fc.constant('otp.sent' as const),
    method: fc.constantFrom('sms' as const, 'alimtalk' as const),
    purpose: words,
    metadata: dictionary(words),
  })

  test('of what passes every one of its filters, each looked at alone', () => {
    fc.assert(
      fc.property(someFilters, someSubject, (filters, subject) => {
        const { method, type, metadata } = filters
        const passes = (alone: HookFilters) => isSubscribed(anEndpoint({ filters: alone }), subject)
        const each: HookFilters[] = [
          ...(method ? [{ method }] : []),
          ...(type ? [{ type }] : []),
          ...Object.entries(metadata ?? {}).map((entry) => ({ metadata: Object.fromEntries([entry]) })),
        ]
        expect(passes(filters)).toBe(each.every(passes))
      }),
      RUNS,
    )
  })

  test('of what its filters name', () => {
    fc.assert(
      fc.property(someSubject, (subject) => {
        const metadata = Object.fromEntries(Object.entries(subject.metadata).map(([key, value]) => [key, [value]]))
        const filters = { method: [subject.method], type: [subject.purpose], metadata }
        expect(isSubscribed(anEndpoint({ filters }), subject)).toBe(true)
      }),
      RUNS,
    )
  })
})

describe('an answer', () => {
  const all = (from: number, to: number, ...except: number[]) =>
    Array.from({ length: to - from + 1 }, (_, n) => from + n).filter((status) => !except.includes(status))

  test.each<[string, Judgement, Array<number | undefined>]>([
    ['2xx', 'delivered', all(200, 299)],
    ['none', 'again', [undefined]],
    ['3xx', 'again', all(300, 399)],
    ['408 or 429', 'again', [408, 429]],
    ['410', 'gone', [410]],
    ['any other 4xx', 'final', all(400, 499, 408, 410, 429)],
    ['5xx', 'again', all(500, 599)],
    ['what is no answer', 'again', [100, 199, 600, 999]],
  ])('%s: %s', (_, judgement, statuses) => {
    for (const status of statuses) {
      for (const retryAfterMs of [undefined, 1_000])
        expect([status, judge({ status, retryAfterMs })]).toEqual([status, judgement])
    }
  })
})

describe('the next try', () => {
  const SCHEDULE = [5 * SECOND_MS, 30 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS]

  test.each(SCHEDULE.map((waitMs, index) => [index + 1, waitMs] as const))(
    'after %d comes exactly %d ms later, as the specification says',
    (tries, waitMs) => {
      expect(webhookRetryMs(tries, undefined)).toBe(waitMs)
    },
  )

  test.each([6, 7, 100])('there is none after %d, whatever the receiver asks for', (tries) => {
    expect([webhookRetryMs(tries, undefined), webhookRetryMs(tries, 60_000)]).toEqual([undefined, undefined])
  })

  test.each<[string, number, number, number]>([
    ['a longer wait that is asked for is kept', 1, 60 * SECOND_MS, 60 * SECOND_MS],
    ['a shorter one is not', 2, 10 * SECOND_MS, 30 * SECOND_MS],
    ['one of nothing is not', 1, 0, 5 * SECOND_MS],
    ['one of a day is kept', 5, DAY_MS, DAY_MS],
    ['one of a week is kept for a day', 5, 7 * DAY_MS, DAY_MS],
  ])('%s', (_, tries, asked, waitMs) => {
    expect(webhookRetryMs(tries, asked)).toBe(waitMs)
  })

  test('is never before its time, nor before the receiver asks for, nor more than a day away', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.nat(30 * DAY_MS), (tries, asked) => {
        const planned = webhookRetryMs(tries, undefined) ?? Number.NaN
        expect(webhookRetryMs(tries, asked)).toBe(Math.max(planned, Math.min(asked, DAY_MS)))
      }),
      RUNS,
    )
  })
})

describe('Retry-After', () => {
  test.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ['0', 0],
    ['120', 120_000],
    ['999999999', 999_999_999_000],
    [new Date(NOW + 90_000).toUTCString(), 90_000],
    [new Date(NOW).toUTCString(), 0],
    [new Date(NOW - 90_000).toUTCString(), 0],
    // urllib3/urllib3#1896: RFC 9110, 5.6.7, has dates without a zone, which are of UTC whatever the machine's is.
    [asctime(NOW + 90_000), 90_000],
    ['', undefined],
    ['soon', undefined],
    ['1e9', undefined],
    ['9'.repeat(400), undefined],
  ])('%p is %p', (header, expected) => {
    expect(readRetryAfter(header, NOW)).toBe(expected as number)
  })

  test('is a wait, or nothing, whatever a receiver writes', () => {
    const written = fc.oneof(fc.string(), fc.double().map(String), fc.date().map(String))
    fc.assert(
      fc.property(written, (header) => {
        const waitMs = readRetryAfter(header, NOW) ?? 0
        expect(Number.isFinite(waitMs) && waitMs >= 0).toBe(true)
      }),
      RUNS,
    )
  })
})

describe('an endpoint that is tried', () => {
  const failing = anEndpoint({ failingSince: NOW })
  const inFiveDays = NOW + 5 * DAY_MS

  test.each<[string, Endpoint, Judgement, number, Partial<Endpoint>]>([
    ['fails since its first failure', anEndpoint(), 'again', NOW, { failingSince: NOW }],
    ['fails with a final answer too', anEndpoint(), 'final', NOW, { failingSince: NOW }],
    ['does not forget since when', failing, 'again', NOW + 9, { failingSince: NOW }],
    ['forgets it with a success', failing, 'delivered', inFiveDays + 1, { failingSince: undefined }],
    ['lives a millisecond below five days', failing, 'again', inFiveDays - 1, { disabledAt: undefined }],
    [
      'is disabled by a failure after five days of them',
      failing,
      'again',
      inFiveDays,
      { disabledAt: inFiveDays, disabledReason: 'Nothing but failures for 5 days', failingSince: NOW },
    ],
    ['is disabled by final answers alike', failing, 'final', inFiveDays, { disabledAt: inFiveDays }],
    [
      'is disabled at once when it says that it is gone',
      anEndpoint(),
      'gone',
      NOW,
      { disabledAt: NOW, disabledReason: 'The receiver answered 410 Gone' },
    ],
    [
      'stays disabled as it was',
      disable(failing, 'Disabled by an operator', NOW),
      'gone',
      inFiveDays,
      { disabledAt: NOW, disabledReason: 'Disabled by an operator' },
    ],
    [
      'is not enabled by a late success',
      disable(failing, 'Disabled by an operator', NOW),
      'delivered',
      NOW + 1,
      { disabledAt: NOW },
    ],
  ])('%s', (_, endpoint, judgement, now, expected) => {
    expect(afterAttempt(endpoint, judgement, now)).toMatchObject(expected)
  })

  test('is disabled by 410 or by five days without a success, and by nothing else', () => {
    const outcome = fc.record({
      judgement: fc.constantFrom<Judgement>('again', 'again', 'final', 'delivered'),
      afterMs: fc.nat(2 * DAY_MS),
    })
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 20 }), fc.boolean(), (outcomes, isGoneAtLast) => {
        let now = NOW
        let endpoint = anEndpoint()
        let failures: number[] = []
        for (const { judgement, afterMs } of outcomes) {
          now += afterMs
          endpoint = afterAttempt(endpoint, judgement, now)
          failures = judgement === 'delivered' ? [] : [...failures, now]
          const isOver = now - (failures[0] ?? now) >= 5 * DAY_MS
          expect(endpoint.failingSince).toBe(failures[0] as number)
          expect(endpoint.disabledAt !== undefined).toBe(isOver)
          if (isOver) return
        }
        if (isGoneAtLast) expect(afterAttempt(endpoint, 'gone', now).disabledAt).toBe(now)
      }),
      RUNS,
    )
  })

  test('is as new when it is enabled: old failures do not count', () => {
    const disabled = afterAttempt(failing, 'again', inFiveDays)
    expect(enable(disabled)).toEqual(anEndpoint())
    expect(afterAttempt(enable(disabled), 'again', inFiveDays + 1).disabledAt).toBeUndefined()
  })

  test('is disabled once, with the first reason', () => {
    expect(disable(disable(anEndpoint(), 'Being removed', NOW), 'Disabled by an operator', NOW + 1)).toEqual(
      anEndpoint({ disabledAt: NOW, disabledReason: 'Being removed' }),
    )
  })
})

describe('secrets', () => {
  const until = NOW + HOUR_MS
  const rotated = rotateSecret(anEndpoint({ secrets: [{ secret: 'one' }] }), 'two', until)

  test.each<[string, number, string[]]>([
    ['before the overlap ends', until - 1, ['two', 'one']],
    ['when the overlap ends', until, ['two']],
    ['long after', until + DAY_MS, ['two']],
  ])('of two the older one is valid only %s', (_, now, valid) => {
    expect<string[]>(validSecrets(rotated, now)).toEqual(valid)
  })

  test('without an overlap the older one ends at once', () => {
    expect(validSecrets(rotateSecret(anEndpoint(), 'two', NOW), NOW)).toEqual(['two'])
  })

  test('of three only the newer two are kept, and the newest of all never ends', () => {
    const again = rotateSecret(rotated, 'three', until + HOUR_MS)
    expect(again.secrets).toEqual([{ secret: 'three' }, { secret: 'two', validUntil: until + HOUR_MS }])
    expect(validSecrets(again, NOW)).toEqual(['three', 'two'])
    expect(validSecrets(again, Number.MAX_SAFE_INTEGER)).toEqual(['three'])
  })
})

describe('what an endpoint may be', () => {
  const many = <T>(count: number, entry: (n: number) => T) => Array.from({ length: count }, (_, n) => entry(n))
  const headers = (count: number) => Object.fromEntries(many(count, (n) => [`X-H${n}`, 'v']))

  test.each<[string, Partial<Endpoint>]>([
    ['all events', { events: EVENT_TYPES }],
    ['every filter', { filters: { method: ['sms', 'alimtalk'], type: ['signup'], metadata: { plan: ['pro'] } } }],
    ['metadata named like other filters', { filters: { metadata: { method: ['fax'], type: ['x'] } } }],
    ['50 values', { filters: { type: many(50, String) } }],
    ['32 notes', { filters: { metadata: Object.fromEntries(many(32, (n) => [`k${n}`, ['v']])) } }],
    ['16 headers', { headers: headers(16) }],
    ['4096 characters of headers', { headers: { 'X-A': 'v'.repeat(4_093) } }],
    ['headers with credentials', { headers: { Authorization: 'Bearer a+b/c==', 'x-api-key': 'k' } }],
    ['a template', { template: '{"id":"{{data.id}}"}' }],
    ['16384 characters of template', { template: `{"id":"{{data.id}}"}`.padEnd(16_384) }],
    ['http, which the operator may allow', { url: 'http://app.example.com:8080/hooks?x=1' }],
  ])('%s', (_, changes) => {
    expect(() => assertEndpoint(anEndpoint(changes))).not.toThrow()
  })

  test.each<[string, Partial<Endpoint>, string]>([
    ['a URL of another kind', { url: 'ftp://app.example.com' }, 'url: must be an absolute URL'],
    ['a URL with credentials', { url: 'https://me:pass@app.example.com' }, 'user name or password'],
    ['a URL with a line break', { url: 'https://app.example.com/\r\nHost: x' }, 'control characters'],
    ['no events', { events: [] }, 'events: at least one of otp.sent'],
    ['unknown events', { events: ['otp.sent', 'otp.lost' as never] }, 'no such event: otp.lost'],
    ['events by the names of what objects have', { events: ['constructor' as never] }, 'no such event: constructor'],
    [
      'a filter by an unknown channel',
      { filters: { method: ['sms', 'fax'] } },
      'filter.method: must be one of sms, alimtalk, whatsapp, telegram, voice: fax',
    ],
    ['a filter by no channel', { filters: { method: [] } }, 'filter.method: needs a value'],
    ['a filter by no purpose', { filters: { type: [] } }, 'filter.type: needs a value'],
    [
      'a filter by no purpose, hidden behind metadata',
      { filters: { type: [], metadata: { type: ['x'] } } },
      'filter.type: needs a value',
    ],
    [
      'a filter by an empty purpose',
      { filters: { type: ['signup', ''] } },
      'filter.type: needs a value, and none that is blank',
    ],
    ['a filter by 51 purposes', { filters: { type: many(51, String) } }, 'filter.type: at most 50 values'],
    [
      'a filter by 33 notes, which no issue has',
      { filters: { metadata: Object.fromEntries(many(33, (n) => [`k${n}`, ['v']])) } },
      'filter.metadata: at most 32',
    ],
    ['a filter by no metadata', { filters: { metadata: { plan: [] } } }, 'filter.metadata.plan: needs'],
    ['a filter by empty metadata', { filters: { metadata: parsed('{"__proto__":[""]}') } }, 'metadata.__proto__'],
    ['17 headers', { headers: headers(17) }, 'header: at most 16'],
    ['4097 characters of headers', { headers: { 'X-A': 'v'.repeat(4_094) } }, 'header: at most 4096 characters'],
    ['16385 characters of template', { template: '{}'.padEnd(16_385) }, 'template: at most 16384 characters'],
    ['a template that makes JSON of some events only', { template: '{ {{data.metadata.a}}: 1 }' }, 'must be JSON'],
    ['a template that makes no JSON', { template: '{"id":{{data.id}}' }, 'template: must be JSON'],
    ['a template with braces around no path', { template: '{"id":"{{1+1}}"}' }, 'template: not a path: {{1+1}}'],
  ])('not %s', (_, changes, message) => {
    expect(thrownBy(() => assertEndpoint(anEndpoint(changes)))).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining(message),
    })
  })

  test.each([
    'Content-Type',
    'content-length',
    'CONTENT-ENCODING',
    'User-Agent',
    'Cookie',
    'webhook-id',
    'Webhook-Signature',
    'X-Watchword-Signature',
    'x-watchword-anything',
  ])('the header %s is the service’s', (name) => {
    expect(thrownBy(() => assertEndpoint(anEndpoint({ headers: { [name]: 'v' } })))).toMatchObject({
      kind: 'invalid',
      message: `header: ${name} is set by the service`,
    })
  })

  test.each<[string, string]>([
    ['X-A', 'credential\r\nX-B: b'],
    ['X-A', 'credential\nX-B: b'],
    ['X-A', 'credential\rX-B: b'],
    ['X-A', 'credential\0'],
    ['X-A', 'credential\u2028'],
    ['X-A\r\nX-B', 'credential'],
    ['X-A: a\nX-B', 'credential'],
    ['X A', 'credential'],
    ['', 'credential'],
    ['Host', 'credential'],
    ['Transfer-Encoding', 'credential'],
  ])(
    'no header writes another, or leads the request elsewhere; the refusal does not quote it: %p: %p',
    (name, value) => {
      const refused = thrownBy(() => assertEndpoint(anEndpoint({ headers: { 'X-Good': 'v', [name]: value } })))
      expect(refused).toMatchObject({ kind: 'invalid', message: `header: not a header that can be sent: ${name}` })
      expect(String(refused)).not.toContain('credential')
    },
  )
})

/** `Sun Nov  6 08:49:37 1994` */
function asctime(at: number): string {
  const [, day, date, month, year, time] =
    /^(\w{3}), 0?(\d+) (\w{3}) (\d{4}) (\S+)/.exec(new Date(at).toUTCString()) ?? []
  return `${day} ${month} ${date?.padStart(2, ' ')} ${time} ${year}`
}
