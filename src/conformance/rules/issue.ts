/** Specification: "POST /issue", "States and transitions". */
import {
  Broken,
  type ConformanceRule,
  expectAnswer,
  expectFields,
  expectRefused,
  expectThat,
  issue,
  statusOf,
  type Untyped,
  verify,
} from '../rule'

const part = 'POST /issue'
const DEFAULT_LIFETIME_MS = 180_000

const refusedFields: Array<[string, object]> = [
  ['phoneNumber is missing', { phoneNumber: undefined }],
  ['phoneNumber is longer than 32 characters', { phoneNumber: `010${'-'.repeat(30)}` }],
  ['purpose is missing', { purpose: undefined }],
  ['purpose is blank', { purpose: '  ' }],
  ['purpose is longer than 64 characters', { purpose: 'x'.repeat(65) }],
  ['channel is unknown', { channel: 'pigeon' }],
  ['templateId is unknown', { templateId: 'conformance-none' }],
  ['templateVariables has an unknown variable', { templateVariables: { 'conformance-none': 'x' } }],
  ['templateVariables has code', { templateVariables: { code: '123456' } }],
  ['from is longer than 64 characters', { from: 'x'.repeat(65) }],
  ['messageType is unknown', { messageType: 'MMS' }],
  ['cost is 0', { cost: 0 }],
  ['cost is above 100000', { cost: 100_001 }],
  ['cost is no integer', { cost: 1.5 }],
  ['expiresInSec is 29', { expiresInSec: 29 }],
  ['expiresInSec is 601', { expiresInSec: 601 }],
  ['expiresInSec is no integer', { expiresInSec: 60.5 }],
  ['maxAttempts is 0', { maxAttempts: 0 }],
  ['maxAttempts is 11', { maxAttempts: 11 }],
]

const refusedKeys: Array<[string, Record<string, string>, string | undefined]> = [
  ['is missing', {}, undefined],
  ['is a blank header', { 'idempotency-key': ' ' }, undefined],
  ['is a blank field', {}, '  '],
  ['has a space inside', {}, 'a b'],
  ['is not ASCII', {}, 'schlüssel'],
  ['has a control character', {}, 'a\tb'],
  ['has 129 characters', {}, 'x'.repeat(129)],
  ['differs between header and field', { 'idempotency-key': 'a' }, 'b'],
]

const changes: Array<[string, object]> = [
  ['purpose', { purpose: 'another' }],
  ['channel', { channel: 'alimtalk' }],
  ['cost', { cost: 3 }],
  ['metadata', { metadata: { a: '1' } }],
  ['lifetime', { expiresInSec: 181 }],
  ['number of attempts', { maxAttempts: 4 }],
  ['sender', { from: '0212345678' }],
  ['message type', { messageType: 'LMS' }],
]

export const issueRules: ConformanceRule[] = [
  {
    part,
    promise: 'a code is answered with issueId, expiresAt, attemptsRemaining, queuedAt and mode, and without the code',
    async check(api) {
      const { phoneNumber, ...body } = await issue(api)
      expectThat(body, { attemptsRemaining: 5, mode: api.mode, issueId: UUID })
      expectThat(Date.parse(body.expiresAt) - Date.parse(body.queuedAt), DEFAULT_LIFETIME_MS, 'the lifetime in ms')
      const code = await api.codeOf(phoneNumber)
      if (Object.values(body).includes(code)) throw new Broken('the answer has the code')
    },
  },
  {
    part,
    promise: 'the largest values are allowed',
    async check(api) {
      const largest = {
        purpose: '가'.repeat(64),
        from: 'x'.repeat(64),
        expiresInSec: 600,
        maxAttempts: 10,
        cost: 100_000,
      }
      const body = await issue(api, { ...largest, phoneNumber: `  ${api.freshNumber()}  ` })
      expectThat(body.attemptsRemaining, 10, 'attemptsRemaining')
      expectThat(Date.parse(body.expiresAt) - Date.parse(body.queuedAt), 600_000, 'the lifetime in ms')
    },
  },
  ...refusedFields.map(
    ([name, changed]): ConformanceRule => ({
      part,
      promise: `400 where ${name}`,
      async check(api) {
        const input = {
          phoneNumber: api.freshNumber(),
          purpose: 'conformance',
          idempotencyKey: api.unique(),
          ...changed,
        }
        expectRefused(await api.call('issue', input), 400, 'BAD_REQUEST')
      },
    }),
  ),
  ...refusedKeys.map(
    ([name, headers, idempotencyKey]): ConformanceRule => ({
      part,
      promise: `400 where the idempotency key ${name}`,
      async check(api) {
        const input = { phoneNumber: api.freshNumber(), purpose: 'conformance', idempotencyKey }
        expectRefused(await api.call('issue', input, { headers }), 400, 'BAD_REQUEST')
      },
    }),
  ),
  {
    part,
    promise: 'the idempotency key comes in the header, in the field, or in both when equal',
    async check(api) {
      const [input, key] = [{ phoneNumber: api.freshNumber(), purpose: 'conformance' }, api.unique()]
      const headers = { 'idempotency-key': ` ${key} ` }
      const byHeader = await api.call('issue', input, { headers })
      expectAnswer(byHeader, 200)
      expectAnswer(await api.call('issue', { ...input, idempotencyKey: key }), 200, byHeader.body)
      expectAnswer(await api.call('issue', { ...input, idempotencyKey: key }, { headers }), 200, byHeader.body)
    },
  },
  {
    part,
    promise: '128 visible characters are an idempotency key',
    async check(api) {
      await issue(api, { idempotencyKey: api.unique().padEnd(128, '!') })
    },
  },
  {
    part,
    promise: 'the same key and payload replay the original answer, also at once and after the code was verified',
    async check(api) {
      const input = { phoneNumber: api.freshNumber(), purpose: 'conformance', idempotencyKey: api.unique() }
      const first = await issue(api, input)
      const replays = await Promise.all([issue(api, input), issue(api, input), issue(api, input)])
      await verify(api, first.issueId, await api.codeOf(input.phoneNumber))
      for (const replay of [...replays, await issue(api, input)]) expectThat(replay, first)
    },
  },
  {
    part,
    promise: 'a default that is spelled out is the same payload',
    async check(api) {
      const input = { phoneNumber: api.freshNumber(), purpose: 'conformance', idempotencyKey: api.unique() }
      const first = await issue(api, input)
      for (const spelled of [{ channel: 'sms' }, { expiresInSec: 180, maxAttempts: 5 }, { purpose: ' conformance ' }])
        expectThat((await issue(api, { ...input, ...spelled })).issueId, first.issueId, 'issueId')
    },
  },
  ...changes.map(
    ([name, changed]): ConformanceRule => ({
      part,
      promise: `409 for the same key with another ${name}`,
      async check(api) {
        const input = { phoneNumber: api.freshNumber(), purpose: 'conformance', idempotencyKey: api.unique() }
        await issue(api, input)
        expectRefused(await api.call('issue', { ...input, ...changed }), 409, 'CONFLICT')
      },
    }),
  ),
  {
    part,
    promise: '409 for a key whose issue was replaced',
    async check(api) {
      const input = { phoneNumber: api.freshNumber(), purpose: 'conformance', idempotencyKey: api.unique() }
      await issue(api, input)
      await issue(api, { ...input, idempotencyKey: api.unique() })
      expectRefused(await api.call('issue', input), 409, 'CONFLICT')
    },
  },
  {
    part,
    promise: 'many requests at once with one key make one issue',
    async check(api) {
      const input = { phoneNumber: api.freshNumber(), purpose: 'conformance', idempotencyKey: api.unique() }
      const answers = await Promise.all(Array.from({ length: 20 }, () => api.call('issue', input)))
      // An earlier request that is still being resolved may be answered with 503.
      const issued = answers.filter(({ status }) => status !== 503)
      for (const answer of issued) expectAnswer(answer, 200)
      expectThat(new Set(issued.map(({ body }) => body.issueId)).size, 1, 'the number of issues')
    },
  },
  {
    part,
    promise: 'a new issue for the same number and purpose replaces the old one',
    async check(api) {
      const phoneNumber = api.freshNumber()
      const first = await issue(api, { phoneNumber })
      const second = await issue(api, { phoneNumber })
      expectThat(await statusOf(api, first.issueId), { verificationStatus: 'replaced', overallStatus: 'replaced' })
      expectThat(await verify(api, first.issueId, '123456'), { verified: false, reasonCode: 'REPLACED' })
      expectThat(await statusOf(api, second.issueId), { verificationStatus: 'issued' })
    },
  },
  {
    part,
    promise: 'another purpose or number replaces nothing',
    async check(api) {
      const phoneNumber = api.freshNumber()
      const first = await issue(api, { phoneNumber })
      await issue(api, { phoneNumber, purpose: 'another' })
      await issue(api)
      expectThat(await statusOf(api, first.issueId), { verificationStatus: 'issued' })
    },
  },
  {
    part,
    promise: 'issues at once for one number leave one code that can be verified',
    async check(api) {
      const phoneNumber = api.freshNumber()
      const issued = await Promise.all(Array.from({ length: 4 }, () => issue(api, { phoneNumber })))
      const statuses = await Promise.all(issued.map(({ issueId }) => statusOf(api, issueId)))
      const live = statuses.filter(({ verificationStatus }: Untyped) => verificationStatus === 'issued')
      expectThat(live.length, 1, 'the number of codes that can be verified')
    },
  },
  {
    part: 'GET /status',
    promise: 'the status view has its fields, and neither number nor code',
    async check(api) {
      const { issueId, phoneNumber } = await issue(api)
      await api.codeOf(phoneNumber)
      const { providerOutcomeAmbiguous, providerOutcomeCode, ...body } = await statusOf(api, issueId)
      expectFields(body, STATUS_FIELDS)
      expectThat(body, { verificationStatus: 'issued', attemptsUsed: 0, maxAttempts: 5, attemptsRemaining: 5 })
    },
  },
]

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const STATUS_FIELDS = [
  ...['attemptsRemaining', 'attemptsUsed', 'createdAt', 'deliveryStatus', 'expiresAt', 'issueId', 'maxAttempts'],
  ...['messageId', 'mode', 'overallStatus', 'purpose', 'templateId', 'updatedAt', 'verificationStatus'],
]
