/** Specification: "Test-mode behavior". */
import {
  type ConformanceRule,
  expectAnswer,
  expectRefused,
  expectThat,
  issue,
  statusOf,
  type TestedServer,
  verify,
} from '../rule'

const part = 'Test mode'
const isOfTestMode = true
const FIXED_CODE = '000000'

/** A number of Korea that chooses a scenario. */
const magic = (scenario: number) => `010-0000-00${String(scenario).padStart(2, '0')}`

/** Each run has its own purpose, so that no issue of another run is replaced. */
const played = async (api: TestedServer, phoneNumber: string, input: object = {}) =>
  issue(api, { phoneNumber, purpose: api.unique(), ...input })
const refused = (api: TestedServer, phoneNumber: string) =>
  api.call('issue', { phoneNumber, purpose: api.unique(), idempotencyKey: api.unique() })

const MAGIC = [
  ...['010-0000-0000', '01000000000', '010 0000 0000', '+82 10-0000-0000', '+821000000000', '82 10 0000 0000'],
  ...['(010) 0000.0000', '+44 7700 900000', '+447700900000', '+1 212 555-0100', '1-907-555-0100', '+1 (415) 555 0100'],
]
const NOT_MAGIC = [
  ...['010-1234-5678', '010-0000-0100', '010-0001-0000', '+81 10-0000-0000', '+44 7700 910000', '+1 212 555-0200'],
  ...['+1 212 556-0100', '7700 900000', 'abc', '010-0000-000'],
]

/** From when on a delivery has that status, in ms after the issue. It is `queued` before. */
type StatusChange = readonly [at: number, status: string]
const DELIVERED: readonly StatusChange[] = [
  [1_000, 'sent'],
  [2_000, 'delivered'],
]
const FAILED: readonly StatusChange[] = [
  [1_000, 'sent'],
  [3_000, 'failed'],
]
const SLOW: readonly StatusChange[] = [
  [1_000, 'sent'],
  [30_000, 'delivered'],
]
const FALLS_BACK: readonly StatusChange[] = [
  [1_000, 'sent'],
  [4_000, 'delivered'],
]
const timelines: Array<[scenario: number, input: object, steps: readonly StatusChange[]]> = [
  [0, {}, DELIVERED],
  [1, {}, FAILED],
  [2, {}, SLOW],
  [3, {}, [[1_000, 'sent']]],
  [4, {}, DELIVERED],
  [5, {}, DELIVERED],
  [10, {}, FALLS_BACK],
  [10, { smsFallback: false }, FAILED],
  [10, { channel: 'sms' }, DELIVERED],
  [11, {}, DELIVERED],
  [57, {}, DELIVERED],
  [99, {}, DELIVERED],
  [0, { channel: 'alimtalk' }, DELIVERED],
]

/** Looks just before and just after each step, and once more when nothing should change any more. */
async function follows(api: TestedServer, issueId: string, steps: readonly StatusChange[]): Promise<void> {
  const begun = api.now()
  const looked = async (at: number, deliveryStatus: string) => {
    await api.wait(begun + at - api.now())
    expectThat(await statusOf(api, issueId), { deliveryStatus }, `the status at ${at} ms`)
  }
  let before = 'queued'
  for (const [at, status] of steps) {
    await looked(at - api.slackMs, before)
    await looked(at + api.slackMs, status)
    before = status
  }
  await looked((steps.at(-1)?.[0] ?? 0) + 10_000, before)
}

const refusals: Array<[scenario: number, status: number, code: string, data: object | undefined, retryAfter?: string]> =
  [
    [6, 429, 'TOO_MANY_REQUESTS', { limit: 'perPhone' }, '60'],
    [7, 402, 'PAYMENT_REQUIRED', { code: 'INSUFFICIENT_CREDIT' }],
    [8, 402, 'PAYMENT_REQUIRED', { code: 'TRIAL_DAILY_LIMIT_EXCEEDED' }],
    [9, 503, 'SERVICE_UNAVAILABLE', undefined, '2'],
  ]

export const testModeRules: ConformanceRule[] = [
  ...MAGIC.map(
    (phoneNumber): ConformanceRule => ({
      ...{ part, isOfTestMode },
      promise: `${phoneNumber} is a magic number, and its code is ${FIXED_CODE}`,
      async check(api) {
        const { issueId, mode } = await played(api, phoneNumber)
        expectThat(mode, 'test', 'mode')
        expectThat(await verify(api, issueId, FIXED_CODE), { verified: true, mode: 'test' })
      },
    }),
  ),
  ...NOT_MAGIC.map(
    (phoneNumber): ConformanceRule => ({
      ...{ part, isOfTestMode },
      promise: `${phoneNumber} is no magic number: 400 TEST_NUMBER_REQUIRED`,
      async check(api) {
        expectRefused(await refused(api, phoneNumber), 400, 'BAD_REQUEST', { data: { code: 'TEST_NUMBER_REQUIRED' } })
      },
    }),
  ),
  {
    ...{ part, isOfTestMode },
    promise: '+82 10 and 010 are one number: the second issue replaces the first',
    async check(api) {
      const purpose = api.unique()
      const first = await issue(api, { phoneNumber: '010-0000-0000', purpose })
      await issue(api, { phoneNumber: '+82 10-0000-0000', purpose })
      expectThat(await verify(api, first.issueId, FIXED_CODE), { verified: false, reasonCode: 'REPLACED' })
    },
  },
  ...timelines.map(
    ([scenario, input, steps]): ConformanceRule => ({
      ...{ part, isOfTestMode },
      promise: `scenario ${scenario} ${JSON.stringify(input)}: ${steps.map(([at, status]) => `${status} after ${at / 1_000} s`).join(', ')}`,
      async check(api) {
        await follows(api, (await played(api, magic(scenario), input)).issueId, steps)
      },
    }),
  ),
  {
    ...{ part, isOfTestMode },
    promise: 'scenario 3 stays ambiguous, and its code verifies',
    async check(api) {
      const { issueId } = await played(api, magic(3))
      await api.wait(5_000)
      expectThat(await statusOf(api, issueId), { deliveryStatus: 'sent', providerOutcomeAmbiguous: true })
      expectThat(await verify(api, issueId, FIXED_CODE), { verified: true })
    },
  },
  {
    ...{ part, isOfTestMode },
    promise: 'scenario 4 expires 10 s after the issue, whatever was asked for',
    async check(api) {
      const { issueId, expiresAt, queuedAt } = await played(api, magic(4), { expiresInSec: 600 })
      expectThat(Date.parse(expiresAt) - Date.parse(queuedAt), 10_000, 'the lifetime in ms')
      await api.wait(11_000)
      expectThat(await verify(api, issueId, FIXED_CODE), { verified: false, reasonCode: 'EXPIRED' })
      expectThat(await statusOf(api, issueId), { verificationStatus: 'expired', overallStatus: 'expired' })
    },
  },
  {
    ...{ part, isOfTestMode },
    promise: 'scenario 5 takes no code, and the last attempt is MAX_ATTEMPTS',
    async check(api) {
      const { issueId } = await played(api, magic(5), { maxAttempts: 3 })
      expectThat(await verify(api, issueId, FIXED_CODE), { reasonCode: 'MISMATCH', attemptsRemaining: 2 })
      expectThat(await verify(api, issueId, '123456'), { reasonCode: 'MISMATCH', attemptsRemaining: 1 })
      expectThat(await verify(api, issueId, FIXED_CODE), { reasonCode: 'MAX_ATTEMPTS', attemptsRemaining: 0 })
    },
  },
  ...refusals.map(
    ([scenario, status, code, data, retryAfter]): ConformanceRule => ({
      ...{ part, isOfTestMode },
      promise: `scenario ${scenario} is refused: ${status} ${code}`,
      async check(api) {
        const answer = await refused(api, magic(scenario))
        expectRefused(answer, status, code, data && { data })
        if (retryAfter !== undefined) expectThat(answer.headers.get('retry-after'), retryAfter, 'Retry-After')
      },
    }),
  ),
  {
    ...{ part, isOfTestMode },
    promise: 'delivery and verification are independent: a scenario plays to its end after the code was verified',
    async check(api) {
      const { issueId } = await played(api, magic(0))
      expectThat(await verify(api, issueId, FIXED_CODE), { verified: true })
      await api.wait(2_600)
      expectThat(await statusOf(api, issueId), { deliveryStatus: 'delivered', overallStatus: 'verified' })
    },
  },
  {
    ...{ part, isOfTestMode },
    promise: 'template errors are as in live mode, also for a number that is refused',
    async check(api) {
      const input = { phoneNumber: magic(6), purpose: 'conformance', templateId: 'conformance-none' }
      expectRefused(await api.call('issue', { ...input, idempotencyKey: api.unique() }), 400, 'BAD_REQUEST')
    },
  },
  {
    ...{ part, isOfTestMode },
    promise: 'test issues cost nothing: the balance stays, and the ledger is empty',
    async check(api) {
      const before = await api.call('balance')
      expectAnswer(before, 200, { currency: 'CREDIT', walletScope: 'test', mode: 'test' })
      await played(api, magic(0))
      expectAnswer(await api.call('balance'), 200, { balance: before.body.balance })
      expectAnswer(await api.call('listCreditLedger'), 200, { items: [], nextCursor: undefined })
    },
  },
]
