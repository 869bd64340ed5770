/** The flow under whatever may happen: against a service of few lines, test mode in memory, and the real one in test mode. */
import { afterAll, afterEach, beforeAll, beforeEach, setDefaultTimeout, setSystemTime, spyOn, test } from 'bun:test'
import { createOtpClient, type OtpClient } from '../../client'
import { createTestClient } from '../../client/testing'
import { createApp } from '../../src/usecases/administer'
import { VirtualClock } from '../support/clock'
import fc from '../support/property'
import { seededRandom } from '../support/random'
import { HANGS_AFTER_MS } from '../support/until'
import { START, World } from '../support/world'
import { acts, Run, type Truth } from './flow-model'
import { COOLDOWN_MS, MAX_ATTEMPTS, Service } from './flow-support'

setDefaultTimeout(HANGS_AFTER_MS)

/** How long a retry waits is drawn by lot. */
const lots = spyOn(Math, 'random')
beforeEach(() => {
  lots.mockImplementation(seededRandom(1).fraction)
})
afterEach(() => {
  setSystemTime()
})
afterAll(() => lots.mockRestore())

/** `WATCHWORD_FLOW_RUNS=20000` looks longer, `WATCHWORD_SEED=7` elsewhere. */
const RUNS = Number(process.env.WATCHWORD_FLOW_RUNS ?? 400)
const SEED = Number(process.env.WATCHWORD_SEED ?? 20_260_301)

test('whatever a user, a network and a device do, nothing is sent twice, promised too soon, or stuck', async () => {
  const property = fc.asyncProperty(acts, async (given) => {
    setSystemTime(START)
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
  await fc.assert(property, { numRuns: RUNS, seed: SEED })
})

const MAGIC = ['010-0000-0000', '010-0000-0002'] as const

/** What test mode has. */
const truthOf = (otp: OtpClient, resendAfterMs: number): Truth => ({
  async issues() {
    const { items } = await otp.listIssues({ limit: 100 })
    return items.map(({ issueId, verificationStatus, createdAt, expiresAt = '', attemptsRemaining }) => ({
      ...{ issueId, attemptsRemaining, expiresAt: Date.parse(expiresAt) },
      resendAt: Math.min(Date.parse(createdAt) + resendAfterMs, Date.parse(expiresAt)),
      ...{ isVerified: verificationStatus === 'verified', isLive: verificationStatus === 'issued' },
    }))
  },
  codeFor: () => '000000',
  wrongCode: '999999',
})

test('the same with test mode in memory, whether another code is waited for or not', async () => {
  const property = fc.asyncProperty(acts, fc.constantFrom(0, COOLDOWN_MS), async (given, resendAfterMs) => {
    setSystemTime(START)
    const clock = new VirtualClock(START)
    const otp = createTestClient({ now: clock.now, resendAfterMs })
    const settle = () => otp.advance(0)
    await new Run(truthOf(otp, resendAfterMs), MAGIC, { to: otp, clock, settle }).all(given)
  })
  await fc.assert(property, { numRuns: RUNS, seed: SEED })
})

let world: World
beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world.stop())

test('the same with the real service', async () => {
  const property = fc.asyncProperty(acts, async (given) => {
    setSystemTime(START)
    const { appId } = await createApp(world.admin, { name: 'flow' })
    const apiKey = await world.key({ appId, kind: 'sk', mode: 'test' })
    const otp = createOtpClient({
      ...{ baseUrl: 'http://localhost/v1', apiKey, timeoutMs: 600_000 },
      fetch: (request) => world.app.fetch(request, '127.0.0.1'),
    })
    const settle = () => world.settle()
    await new Run(truthOf(otp, 0), MAGIC, { to: otp, clock: world.clock, settle }).all(given)
  })
  await fc.assert(property, { numRuns: Math.ceil(RUNS / 20), seed: SEED })
})
