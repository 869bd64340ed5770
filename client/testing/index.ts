/**
 * Test mode without a server, for an app's own tests: nothing is installed, started or waited for.
 *
 * ```ts
 * const otp = createTestClient()
 * const { issueId } = await otp.issue({ phoneNumber: '010-0000-0000', purpose: 'signup', idempotencyKey: 'k' })
 * await otp.advance(2_000)
 * expect((await otp.status({ issueId })).deliveryStatus).toBe('delivered')
 * expect((await otp.verify({ issueId, code: '000000' })).verified).toBe(true)
 * ```
 */

export type { FailureCode, FailureOptions, OperationName, WhichCall } from './failures'
export type { TestTemplate } from './service-types'
export { createTestClient, type TestClient, type TestClientOptions } from './test-client'
