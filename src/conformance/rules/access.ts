/** Specification: "Authentication", "Errors", and what every answer has. */
import {
  type ConformanceRule,
  expectAnswer,
  expectRefused,
  expectThat,
  issue,
  type TestedOperation,
  UNKNOWN_ID,
} from '../rule'

const part = 'Authentication'

const INPUTS: Record<TestedOperation, object> = {
  issue: { phoneNumber: '010-0000-0000', purpose: 'conformance', idempotencyKey: 'conformance' },
  verify: { issueId: UNKNOWN_ID, code: '123456' },
  status: { issueId: UNKNOWN_ID },
  listIssues: {},
  getIssue: { issueId: UNKNOWN_ID },
  listCreditLedger: {},
  balance: {},
  listTemplates: {},
  getTemplate: { templateId: 'conformance-none' },
}
const OPERATIONS = Object.keys(INPUTS) as TestedOperation[]
const OF_BROWSERS: readonly TestedOperation[] = ['issue', 'verify']

export const accessRules: ConformanceRule[] = [
  ...OPERATIONS.map(
    (operation): ConformanceRule => ({
      part,
      promise: `${operation} without a key, or with one that is none: 401`,
      async check(api) {
        for (const key of [null, 'conformance', 'sk_test_x'])
          expectRefused(await api.call(operation, INPUTS[operation], { key }), 401, 'UNAUTHORIZED')
        const headers = { authorization: 'Basic Y29uZm9ybWFuY2U6eA==' }
        expectRefused(await api.call(operation, INPUTS[operation], { key: null, headers }), 401, 'UNAUTHORIZED')
      },
    }),
  ),
  ...OPERATIONS.filter((operation) => !OF_BROWSERS.includes(operation)).map(
    (operation): ConformanceRule => ({
      ...{ part, needs: 'publicKey', isOfTestMode: true },
      promise: `${operation} with a public key: 403`,
      async check(api) {
        const options = { key: api.keys.publicKey ?? null, headers: { origin: 'http://localhost:3000' } }
        expectRefused(await api.call(operation, INPUTS[operation], options), 403, 'FORBIDDEN')
      },
    }),
  ),
  {
    ...{ part, needs: 'publicKey', isOfTestMode: true },
    promise: 'a test public key needs an Origin, and takes localhost and 127.0.0.1 on any port',
    async check(api) {
      const call = (headers: Record<string, string>) => {
        const input = { phoneNumber: api.freshNumber(), purpose: 'conformance', idempotencyKey: api.unique() }
        return api.call('issue', input, { key: api.keys.publicKey ?? null, headers })
      }
      for (const origin of ['http://localhost:3000', 'https://127.0.0.1:8443'])
        expectAnswer(await call({ origin }), 200, { mode: 'test' })
      for (const headers of [{}, { origin: 'http://[::1]:3000' }, { origin: 'https://conformance.invalid' }])
        expectRefused(await call(headers as Record<string, string>), 403, 'FORBIDDEN')
    },
  },
  {
    part: 'Every answer',
    promise: 'X-Request-Id is echoed where it is well formed, and made otherwise',
    async check(api) {
      const idOf = async (given?: string) => {
        const headers: Record<string, string> = given === undefined ? {} : { 'x-request-id': given }
        return (await api.call('balance', {}, { headers })).headers.get('x-request-id')
      }
      expectThat(await idOf('my.request:id-1_'), 'my.request:id-1_', 'X-Request-Id')
      const WELL_FORMED = /^[A-Za-z0-9._:-]{8,128}$/
      expectThat(await idOf(), WELL_FORMED, 'X-Request-Id')
      for (const malformed of ['short', 'has space in it', 'x'.repeat(129)]) {
        const made = await idOf(malformed)
        expectThat(made, WELL_FORMED, 'X-Request-Id')
        expectThat(made, (id: string) => id !== malformed, 'X-Request-Id')
      }
    },
  },
  {
    part: 'Errors',
    promise: 'an unknown path is 404 in the envelope',
    async check(api) {
      expectRefused(await api.send('GET', '/conformance-none'), 404, 'NOT_FOUND')
    },
  },
  {
    part: 'Limits',
    promise: 'metadata is stored, and never returned',
    async check(api) {
      const { issueId } = await issue(api, { metadata: { conformance: 'metadata-of-conformance' } })
      for (const operation of ['getIssue', 'status'] as const) {
        const { body } = await api.call(operation, { issueId })
        expectThat(JSON.stringify(body), (text: string) => !text.includes('metadata-of'), 'the answer without metadata')
      }
    },
  },
]
