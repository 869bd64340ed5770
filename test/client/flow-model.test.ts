/** The flow under whatever may happen: against a service in memory, and against the real one in test mode. */
import { afterAll, afterEach, beforeAll, setSystemTime, test } from 'bun:test'
import fc from 'fast-check'
import { createOtpClient } from '../../client'
import { createApp } from '../../src/usecases/administer'
import { VirtualClock } from '../support/clock'
import { START, World } from '../support/world'
import { acts, Run } from './flow-model'
import { COOLDOWN_MS, MAX_ATTEMPTS, Service } from './flow-support'

afterEach(() => {
  setSystemTime()
})

/** `WATCHWORD_FLOW_RUNS=20000` looks longer. */
const RUNS = Number(process.env.WATCHWORD_FLOW_RUNS ?? 400)

test('whatever a user, a network and a device do, nothing is sent twice, promised too soon, or stuck', async () => {
  const property = fc.asyncProperty(acts, async (given) => {
    setSystemTime()
    const clock = new VirtualClock(START)
    const service = new Service(clock)
    const truth = {
      issues: async () =>
        service.issues.map((issue) => ({
          ...{ issueId: issue.issueId, expiresAt: issue.expiresAt, resendAt: issue.queuedAt + COOLDOWN_MS },
          isLive: service.isLive(issue),
          ...{ isVerified: issue.status === 'verified', attemptsRemaining: MAX_ATTEMPTS - issue.wrong },
        })),
      codeFor: (number: string) =>
        service.issues.findLast(({ phoneNumber }) => phoneNumber === number)?.code ?? '111111',
      wrongCode: '999999',
    }
    await new Run(truth, ['010-1111-1111', '010-2222-2222'], { to: service, clock }).all(given)
  })
  await fc.assert(property, { numRuns: RUNS })
}, 120_000)

let world: World
beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world.stop())

test('the same with the real service', async () => {
  const property = fc.asyncProperty(acts, async (given) => {
    setSystemTime()
    const { appId } = await createApp(world.admin, { name: 'flow' })
    const apiKey = await world.key({ appId, kind: 'sk', mode: 'test' })
    const otp = createOtpClient({
      ...{ baseUrl: 'http://localhost/v1', apiKey, timeoutMs: 600_000 },
      fetch: (request) => world.app.fetch(request, '127.0.0.1'),
    })
    const truth = {
      issues: async () =>
        (await otp.listIssues({ limit: 100 })).items.map(
          ({ issueId, verificationStatus, expiresAt, attemptsRemaining }) => ({
            // In test mode at once.
            ...{ issueId, attemptsRemaining, expiresAt: Date.parse(expiresAt ?? ''), resendAt: 0 },
            ...{ isVerified: verificationStatus === 'verified', isLive: verificationStatus === 'issued' },
          }),
        ),
      codeFor: () => '000000',
      wrongCode: '999999',
    }
    const settle = () => world.settle()
    await new Run(truth, ['010-0000-0000', '010-0000-0002'], { to: otp, clock: world.clock, settle }).all(given)
  })
  await fc.assert(property, { numRuns: Math.ceil(RUNS / 20) })
}, 120_000)
