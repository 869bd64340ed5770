/** Specification: "GET /status", "GET /issues", "GET /issues/{issueId}", "GET /credit-ledger", "GET /templates". */
import {
  type ConformanceRule,
  expectAnswer,
  expectFields,
  expectRefused,
  expectThat,
  issue,
  type TestedServer,
  UNKNOWN_ID,
  type Untyped,
  verify,
} from '../rule'

const refusedQueries: Array<[string, object]> = [
  ['limit is 0', { limit: 0 }],
  ['limit is 101', { limit: 101 }],
  ['limit is no integer', { limit: 1.5 }],
  ['limit is no number', { limit: 'ten' }],
  ['the cursor is malformed', { cursor: 'abc' }],
  ['createdFrom is no date', { createdFrom: 'yesterday' }],
  ['createdFrom equals createdTo', { createdFrom: '2026-01-01T00:00:00Z', createdTo: '2026-01-01T00:00:00Z' }],
  ['createdFrom is after createdTo', { createdFrom: '2026-01-02T00:00:00Z', createdTo: '2026-01-01T00:00:00Z' }],
]

const PROJECTION = [
  ...['attemptsRemaining', 'attemptsUsed', 'billingStatus', 'channel', 'createdAt', 'currency', 'debitedAmount'],
  ...['deliveryStatus', 'expiresAt', 'issueId', 'maxAttempts', 'mode', 'overallStatus', 'purpose', 'templateId'],
  ...['updatedAt', 'verificationStatus'],
]

/** All pages since a moment. */
async function listed(api: TestedServer, filter: object): Promise<Untyped[]> {
  const items: Untyped[] = []
  let cursor: string | undefined
  do {
    const answer = await api.call('listIssues', { ...filter, ...(cursor && { cursor }) })
    expectAnswer(answer, 200, { items: Array.isArray })
    items.push(...answer.body.items)
    cursor = answer.body.nextCursor
  } while (cursor !== undefined)
  return items
}

export const historyRules: ConformanceRule[] = [
  {
    part: 'GET /issues/{issueId}',
    promise: 'the projection has its fields, and neither metadata nor number',
    async check(api) {
      const { issueId } = await issue(api, { metadata: { userId: 'u1' } })
      const answer = await api.call('getIssue', { issueId })
      expectAnswer(answer, 200, { issueId, currency: 'CREDIT', channel: 'sms', debitedAmount: 0 })
      const { verifiedAt: _, ...body } = answer.body
      expectFields(body, PROJECTION)
    },
  },
  {
    part: 'GET /issues/{issueId}',
    promise: '400 for what is no UUID, 404 for an unknown id',
    async check(api) {
      expectRefused(await api.call('getIssue', { issueId: 'no-uuid' }), 400, 'BAD_REQUEST')
      expectRefused(await api.call('getIssue', { issueId: UNKNOWN_ID }), 404, 'NOT_FOUND')
    },
  },
  {
    part: 'GET /issues/{issueId}',
    promise: '404 for an issue of another app, everywhere',
    needs: 'otherKey',
    async check(api) {
      const { issueId } = await issue(api)
      const key = api.keys.otherKey ?? null
      expectRefused(await api.call('getIssue', { issueId }, { key }), 404, 'NOT_FOUND')
      expectRefused(await api.call('status', { issueId }, { key }), 404, 'NOT_FOUND')
    },
  },
  {
    part: 'GET /status',
    promise: '400 without an issueId, 404 for an unknown one',
    async check(api) {
      for (const input of [{}, { issueId: '' }, { issueId: '  ' }])
        expectRefused(await api.call('status', input), 400, 'BAD_REQUEST')
      expectRefused(await api.call('status', { issueId: UNKNOWN_ID }), 404, 'NOT_FOUND')
    },
  },
  {
    part: 'GET /issues',
    promise: 'pages come newest first, without gaps or repeats, while issues are added',
    async check(api) {
      const first = await issue(api)
      const made = [first.issueId]
      for (let count = 0; count < 6; count++) made.unshift((await issue(api)).issueId)
      const page = await api.call('listIssues', { createdFrom: first.queuedAt, limit: 3 })
      expectAnswer(page, 200, { nextCursor: /./ })
      await issue(api)
      const { nextCursor: cursor } = page.body
      const more = await listed(api, { createdFrom: first.queuedAt, limit: 3, cursor })
      const seen = [...page.body.items, ...more].map(({ issueId }) => issueId)
      expectThat(new Set(seen).size, seen.length, 'the number of different issues')
      for (const issueId of made)
        if (!seen.includes(issueId))
          expectThat(seen, (ids: string[]) => ids.includes(issueId), `the list with ${issueId}`)
      const times = [...page.body.items, ...more].map(({ createdAt }) => Date.parse(createdAt))
      expectThat(
        times,
        [...times].sort((a, b) => b - a),
        'the order by createdAt',
      )
    },
  },
  {
    part: 'GET /issues',
    promise: 'the filter goes by the effective status',
    async check(api) {
      const open = await issue(api)
      const done = await issue(api)
      await verify(api, done.issueId, await api.codeOf(done.phoneNumber))
      const idsOf = async (verificationStatus: string) =>
        (await listed(api, { createdFrom: open.queuedAt, verificationStatus })).map(({ issueId }) => issueId)
      const [issued, verified] = [await idsOf('issued'), await idsOf('verified')]
      const isIn = (ids: string[]) => [open.issueId, done.issueId].map((id) => ids.includes(id))
      expectThat(
        [isIn(issued), isIn(verified)],
        [
          [true, false],
          [false, true],
        ],
        'who is listed',
      )
    },
  },
  ...refusedQueries.map(
    ([name, input]): ConformanceRule => ({
      part: 'GET /issues',
      promise: `400 where ${name}, there and in the ledger`,
      async check(api) {
        expectRefused(await api.call('listIssues', input), 400, 'BAD_REQUEST')
        expectRefused(await api.call('listCreditLedger', input), 400, 'BAD_REQUEST')
      },
    }),
  ),
  {
    part: 'GET /issues',
    promise: 'a cursor is bound to its endpoint',
    async check(api) {
      await issue(api)
      await issue(api)
      const { body } = await api.call('listIssues', { limit: 1 })
      expectRefused(await api.call('listCreditLedger', { cursor: body.nextCursor }), 400, 'BAD_REQUEST')
    },
  },
  {
    part: 'GET /templates',
    promise: 'the default template is in the list, and its body has #{code}',
    async check(api) {
      const list = await api.call('listTemplates')
      expectAnswer(list, 200, { defaultTemplateId: /./, templates: Array.isArray, note: /./ })
      const templateId = list.body.defaultTemplateId
      const template = await api.call('getTemplate', { templateId })
      expectAnswer(template, 200, { templateId, name: /./, channelSupport: Array.isArray, body: /#\{code\}/ })
      expectRefused(await api.call('getTemplate', { templateId: 'conformance-none' }), 404, 'NOT_FOUND')
    },
  },
]
