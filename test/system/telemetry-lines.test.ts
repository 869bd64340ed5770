/** What the log is told of each thing that happens: all of it. */
import { expect, test } from 'bun:test'
import type { Origin } from '../../src/domain/shared/addressed'
import { createLogSink } from '../../src/system/telemetry'
import { issueNumber } from '../store/sample'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const origin: Origin = { requestId: 'request-1', trace: `00-${TRACE_ID}-b7ad6b7169203331-01` }
const found = { requestId: 'request-1', traceId: TRACE_ID }

/** Its fields, as they are written: what is undefined is not. */
function lineOf(
  tell: (lines: ReturnType<typeof createLogSink>) => void,
): { message: string } & Record<string, unknown> {
  const told: Array<{ message: string }> = []
  const info = (fields: object, message: string) => void told.push(JSON.parse(JSON.stringify({ ...fields, message })))
  const none = () => {}
  tell(createLogSink({ debug: none, info, warn: none, error: none }))
  expect(told).toHaveLength(1)
  return told[0] as { message: string }
}

test('a request, an issue and an attempt are told with all that is known of them, in tenths of a millisecond', () => {
  const [appId, keyId, issueId] = ['app_1', 'key_1', 'issue-1']
  const ms = { ms: 1.26 }
  expect(
    lineOf((lines) =>
      lines.requestAnswered({
        ...{ origin, appId, keyId, route: 'POST /v1/issue', status: 200, mode: 'live', refusal: undefined },
        ...ms,
      }),
    ),
  ).toEqual({ ...found, appId, keyId, route: 'POST /v1/issue', status: 200, mode: 'live', ms: 1.3, message: 'request' })
  const decided = { appId, issueId, mode: 'live', keyKind: 'pk', channel: 'sms', country: 'KR', rule: 'cap' } as const
  expect(
    lineOf((lines) => lines.issueDecided({ origin, ...decided, outcome: 'issued', refusal: undefined, ...ms })),
  ).toEqual({ ...found, ...decided, outcome: 'issued', ms: 1.3, message: 'issue decided' })
  const answered = { issueId, mode: 'live', leg: 'sms', outcome: 'refused', code: '4100' } as const
  expect(lineOf((lines) => lines.attemptAnswered({ origin, ...answered, carrier: 'main', ...ms }))).toEqual({
    ...{ ...found, ...answered, provider: 'main', ms: 1.3 },
    message: 'attempt answered',
  })
})

test('the end of a delivery is told with what it cost, and whether anybody knows it', () => {
  const issue = { ...issueNumber(1), origin, providerOutcomeCode: '4100', providerOutcomeAmbiguous: true }
  const { appId, mode, issueId, leg, deliveryStatus: outcome, billingStatus: billing } = issue
  const line = lineOf((lines) =>
    lines.deliveryEnded({ message: issue, carrier: 'main', endedAt: issue.createdAt + 250 }),
  )
  const all = {
    ...found,
    appId,
    mode,
    issueId,
    provider: 'main',
    leg,
    outcome,
    billing,
    code: '4100',
    isAmbiguous: true,
    ms: 250,
  }
  expect(line).toEqual({ ...all, message: 'delivery ended' })
  const known = { message: { ...issue, providerOutcomeAmbiguous: false }, carrier: undefined, endedAt: 0 }
  expect(lineOf((lines) => lines.deliveryEnded(known))).not.toHaveProperty('isAmbiguous')
})

test('successes are logged as often as asked for, with all lines of each, and failures always', () => {
  const lines: string[] = []
  const note = (fields: object) => void lines.push((fields as { requestId: string }).requestId)
  const sink = createLogSink({ debug() {}, info: note, warn: note, error: note }, 0.1)
  const REQUESTS = 2_000
  const request = { route: 'POST /v1/issue', appId: 'a', keyId: 'k', mode: 'live', refusal: undefined, ms: 1 } as const
  const attempt = { issueId: 'i', mode: 'live', leg: 'sms', code: undefined, carrier: 'main', ms: 1 } as const
  for (let n = 0; n < REQUESTS; n++) {
    const origin: Origin = { requestId: `request-${n}` }
    sink.requestAnswered({ ...request, origin, status: 200 })
    sink.attemptAnswered({ ...attempt, origin, outcome: 'accepted' })
  }
  const logged = new Set(lines)
  expect(lines).toHaveLength(2 * logged.size)
  expect(logged.size).toBeWithin(REQUESTS * 0.07, REQUESTS * 0.13)
  lines.length = 0
  for (let n = 0; n < 10; n++) {
    const origin: Origin = { requestId: `request-${n}` }
    sink.attemptAnswered({ ...attempt, origin, outcome: 'refused' })
    sink.attemptAnswered({ ...attempt, origin, outcome: 'ambiguous' })
    sink.requestAnswered({ ...request, origin, status: 503 })
  }
  expect(lines).toHaveLength(30)
})
