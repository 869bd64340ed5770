/** Thousands of logins at once, under virtual time: what carriers that are slow, narrow or silent do to them. */
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { TransportResult } from '../../src/ports/network'
import * as administer from '../../src/usecases/administer'
import { answered, type Carrier, type ReceivedMessage } from '../support/carrier'
import { isNightly } from '../support/depth'
import { HANGS_AFTER_MS } from '../support/until'
import { type Furnished, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const BURST = isNightly ? 10_000 : 2_000

describe(`${BURST} issues at once`, () => {
  let world: World
  afterEach(() => world.stop())

  async function start(env: Record<string, string> = {}, concurrency?: number): Promise<Furnished> {
    world = await World.start({ env: { WATCHWORD_LIMIT_REQUESTS_PER_KEY_PER_MIN: '1000000', ...env } })
    const keys = await world.furnish()
    await administer.addCredit(world.admin, { appId: keys.appId, amount: 100_000 })
    if (concurrency !== undefined) {
      const [main] = (await world.store.read.carriers.all()).filter(({ name }) => name === 'main')
      if (main) await administer.setCarrier(world.admin, { ...main, concurrency })
    }
    return keys
  }

  const issue = (keys: Furnished, number: number) =>
    world.call(
      'rest',
      'issue',
      {
        phoneNumber: `+8210${String(10_000_000 + number)}`,
        purpose: 'login',
        idempotencyKey: `burst-${number}`,
        expiresInSec: 180,
      },
      { key: keys.live },
    )

  const burst = (keys: Furnished) =>
    world.run(Promise.all(Array.from({ length: BURST }, (_, number) => issue(keys, number))))

  /** A carrier that takes `workMs` for an answer; what it has in the air is counted. */
  function working(
    carrier: Carrier,
    workMs: number,
    answer: (inFlight: number, accept: () => TransportResult) => TransportResult,
  ) {
    const seen = { inFlight: 0, most: 0, refused: 0 }
    carrier.answer = (message: ReceivedMessage) => {
      seen.most = Math.max(seen.most, ++seen.inFlight)
      const result = answer(seen.inFlight, () => carrier.accept(message))
      const isRefused = result.kind === 'answered' && result.status === 429
      if (isRefused) seen.refused++
      return new Promise((resolve) =>
        world.clock.after(isRefused ? 1 : workMs, () => {
          seen.inFlight--
          resolve(result)
        }),
      )
    }
    return seen
  }

  const count = async (where: string) =>
    (await world.rows<{ n: number }>(`SELECT count(*) AS n FROM issues WHERE ${where}`))[0]?.n ?? 0

  test('against a carrier that takes 200 ms and 50 at a time: every code is sent, and never more than 50 are in the air', async () => {
    const keys = await start({}, 50)
    const seen = working(world.sms, 200, (_, accept) => accept())
    const answers = await burst(keys)
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    await world.advance(60_000)
    expect([await count("delivery_status = 'sent'"), world.sms.accepted.length, seen.most]).toEqual([BURST, BURST, 50])
    expect(new Set(world.sms.accepted.map(({ messageId }) => messageId)).size).toBe(BURST)
  })

  test('against a carrier that refuses the 51st at a time: the dispatcher finds out, and every code is sent', async () => {
    const keys = await start()
    const seen = working(world.sms, 200, (inFlight, accept) => (inFlight > 50 ? answered(429, {}) : accept()))
    await burst(keys)
    await world.advance(120_000)
    expect([await count("delivery_status = 'sent'"), world.sms.accepted.length]).toEqual([BURST, BURST])
    // Without learning, most requests would be refused.
    expect(seen.refused).toBeLessThan(BURST / 10)
  })

  test('against a carrier that hangs: the API answers, the breaker opens, and every code ends honestly by its expiry', async () => {
    const keys = await start()
    const seen = working(world.sms, 10_000, () => ({ kind: 'unknown', reason: 'TimeoutError' }))
    const answers = await burst(keys)
    await world.advance(20_000)
    const [{ body }] = answers as [(typeof answers)[0]]
    const status = await world.call('rest', 'status', { issueId: body.issueId }, { key: keys.live })
    expect(status.status).toBe(200)
    const ready = await world.send('GET', '/readyz', undefined)
    expect(ready.body.providers.main).toMatchObject({ state: 'unhealthy', code: 'NO_ANSWER_TimeoutError' })
    await world.advance(165_000)
    expect(await count("delivery_status = 'queued' OR send_pending = 1")).toBe(0)
    const unclear = await count("delivery_status = 'sent' AND outcome_ambiguous = true")
    expect(unclear).toBe(world.sms.requests.length)
    expect(
      await count("delivery_status = 'failed' AND outcome_code = 'EXPIRED_UNSENT' AND billing_status = 'released'"),
    ).toBe(BURST - unclear)
    expect(seen.most).toBeLessThanOrEqual(128)
    expect(await world.rows('SELECT * FROM outbox')).toEqual([])
    expect(await world.rows('SELECT reserved FROM wallets')).toEqual([{ reserved: unclear }])
  })

  test('a silent carrier does not hold up another one', async () => {
    const keys = await start()
    working(world.kakao, 10_000, () => ({ kind: 'unknown', reason: 'TimeoutError' }))
    await administer.setCarrier(world.admin, {
      name: 'silent',
      type: 'http',
      channels: ['sms'],
      config: { url: 'http://carrier.test/kakao', reports: false },
      concurrency: 8,
    })
    await administer.setRoute(world.admin, { channel: 'sms', country: 'KR', appId: undefined, carriers: ['silent'] })
    await administer.setRoute(world.admin, { channel: 'sms', country: 'GB', appId: undefined, carriers: ['main'] })
    await world.run(Promise.all(Array.from({ length: 500 }, (_, number) => issue(keys, number))))
    const british = await world.run(
      world.call(
        'rest',
        'issue',
        { phoneNumber: '+44 7911 120000', purpose: 'login', idempotencyKey: 'gb' },
        { key: keys.live },
      ),
    )
    await world.advance(10)
    expect(world.sms.accepted).toHaveLength(1)
    expect(
      (await world.call('rest', 'status', { issueId: british.body.issueId }, { key: keys.live })).body,
    ).toMatchObject({
      deliveryStatus: 'sent',
    })
  })

  test('above the configured backlog the rest is answered 503 with Retry-After, and nothing of it is kept', async () => {
    const keys = await start({ WATCHWORD_MAX_BACKLOG: '1000' }, 10)
    working(world.sms, 10_000, () => ({ kind: 'unknown', reason: 'TimeoutError' }))
    const answers = await burst(keys)
    const admitted = answers.filter(({ status }) => status === 200).length
    const refused = answers.filter(({ status }) => status === 503)
    expect([admitted, refused.length]).toEqual([1_000, BURST - 1_000])
    expect(refused[0]?.headers.get('retry-after')).toBe('5')
    expect(refused[0]?.body).toMatchObject({ code: 'SERVICE_UNAVAILABLE', defined: true })
    expect([await count('true'), await world.rows('SELECT reserved FROM wallets')]).toEqual([
      1_000,
      [{ reserved: 1_000 }],
    ])
    expect(await world.rows('SELECT count(*) AS n FROM issues WHERE key_hash IS NOT NULL')).toEqual([{ n: 1_000 }])

    // A replay asks for nothing new, and a code that was refused is admitted once there is room.
    expect((await issue(keys, 0)).status).toBe(200)
    await world.advance(200_000)
    expect((await issue(keys, BURST - 1)).status).toBe(200)
  })
})
