/** Specification: "POST /verify". */
import {
  type ConformanceRule,
  expectRefused,
  expectThat,
  issue,
  statusOf,
  UNKNOWN_ID,
  type Untyped,
  verify,
  wrongCode,
} from '../rule'

const part = 'POST /verify'

export const verifyRules: ConformanceRule[] = [
  {
    part,
    promise: 'the right code verifies once, with verifiedAt',
    async check(api) {
      const { issueId, phoneNumber, expiresAt } = await issue(api)
      const code = await api.codeOf(phoneNumber)
      const verified = { verified: true, attemptsRemaining: 5, expiresAt, verifiedAt: /^\d{4}-/, reasonCode: undefined }
      expectThat(await verify(api, issueId, code), { ...verified, mode: api.mode })
      expectThat(await verify(api, issueId, code), { verified: false, reasonCode: 'ALREADY_VERIFIED' })
      expectThat(await statusOf(api, issueId), { verificationStatus: 'verified', overallStatus: 'verified' })
    },
  },
  {
    part,
    promise: 'a wrong code uses one attempt, and the last one ends the issue',
    async check(api) {
      const { issueId, phoneNumber } = await issue(api, { maxAttempts: 3 })
      const code = await api.codeOf(phoneNumber)
      const wrong = () => verify(api, issueId, wrongCode(code))
      expectThat(await wrong(), { verified: false, reasonCode: 'MISMATCH', attemptsRemaining: 2 })
      expectThat(await wrong(), { verified: false, reasonCode: 'MISMATCH', attemptsRemaining: 1 })
      const ended = { verified: false, reasonCode: 'MAX_ATTEMPTS', attemptsRemaining: 0 }
      expectThat(await wrong(), ended)
      expectThat(await verify(api, issueId, code), ended)
      expectThat(await statusOf(api, issueId), { verificationStatus: 'max_attempts', attemptsUsed: 3 })
    },
  },
  {
    part,
    promise: 'wrong codes at once never get more than maxAttempts tries',
    async check(api) {
      const { issueId, phoneNumber } = await issue(api, { maxAttempts: 5 })
      const code = await api.codeOf(phoneNumber)
      const answers = await Promise.all(Array.from({ length: 20 }, () => verify(api, issueId, wrongCode(code))))
      const mismatches = answers.filter(({ reasonCode }: Untyped) => reasonCode === 'MISMATCH')
      expectThat(mismatches.length, 4, 'the number of attempts that left another one')
      expectThat(await verify(api, issueId, code), { verified: false })
    },
  },
  {
    part,
    promise: 'right codes at once verify exactly once',
    async check(api) {
      const { issueId, phoneNumber } = await issue(api)
      const code = await api.codeOf(phoneNumber)
      const answers = await Promise.all(Array.from({ length: 20 }, () => verify(api, issueId, code)))
      expectThat(answers.filter(({ verified }: Untyped) => verified).length, 1, 'the number of verifications')
    },
  },
  {
    part,
    promise: 'an unknown id is NOT_FOUND, with 200',
    async check(api) {
      expectThat(await verify(api, UNKNOWN_ID, '123456'), {
        ...{ verified: false, reasonCode: 'NOT_FOUND', attemptsRemaining: 0, mode: api.mode },
      })
    },
  },
  {
    part,
    promise: 'a code that is not 6 digits is 400, and uses no attempt',
    async check(api) {
      const { issueId } = await issue(api)
      for (const code of ['12345', '1234567', 'abcdef', '', '１２３４５６'])
        expectRefused(await api.call('verify', { issueId, code }), 400, 'BAD_REQUEST')
      expectThat(await statusOf(api, issueId), { attemptsUsed: 0 })
    },
  },
  {
    part,
    promise: 'a missing or blank issueId is 400',
    async check(api) {
      for (const issueId of [undefined, '', '  '])
        expectRefused(await api.call('verify', { issueId, code: '123456' }), 400, 'BAD_REQUEST')
    },
  },
  {
    part,
    promise: 'an issue of another app is NOT_FOUND, and stays untouched',
    needs: 'otherKey',
    async check(api) {
      const { issueId, phoneNumber } = await issue(api)
      const code = await api.codeOf(phoneNumber)
      const other = await verify(api, issueId, code, { key: api.keys.otherKey ?? null })
      expectThat(other, { verified: false, reasonCode: 'NOT_FOUND' })
      expectThat(await verify(api, issueId, code), { verified: true })
    },
  },
]
