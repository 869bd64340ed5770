/** What is refused because messages do not pay, or because there are too many; who sees it, and what can be done about it. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Cap } from '../../src/abuse/rules/cap'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/shared/value'
import type { Store } from '../../src/ports/store'
import * as administer from '../../src/usecases/administer'
import { errorOf } from '../support/error-of'
import { HANGS_AFTER_MS } from '../support/until'
import { type Furnished, REPORT_SECRET, SMS_URL, START, WIRES, World, type WorldOptions } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const ORIGIN = 'https://app.example.com'

interface Options extends Record<string, unknown> {
  key?: string
  ip?: string
  headers?: Record<string, string>
}

/** Numbers of one prefix each, unless they are told to share one. */
const phone = (n: number, prefix = n) => `010-${2_000 + prefix}-${1_000 + n}`

/** Open codes that a country of this app may have, and some more. */
const LET_IN = 46
const MORE = LET_IN + 5
/** By then it is seen that nobody comes back, and that is stored. */
const SEEN_MS = 70_000

describe.each(WIRES)('an app over %s', (wire) => {
  let world: World
  let keys: Furnished
  let browser: string
  let made = 0

  const start = async (options: WorldOptions = {}) => {
    world = await World.start({
      env: { WATCHWORD_LIMIT_PK_ISSUES_PER_MIN: '10000' },
      ...options,
    })
  }

  beforeEach(async () => {
    await start()
    keys = await world.furnish()
    browser = await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [ORIGIN] })
  })
  afterEach(async () => {
    expect([...world.violations]).toEqual([])
    await world.stop()
  })

  /** Two weeks in which four of five codes were verified, four in each hour of the day. */
  const learn = async (kind: 'sk' | 'pk' = 'pk', until = START) => {
    const hours = Array.from({ length: 14 * 24 }, (_, n) => until - (n + 26) * HOUR_MS)
    const rows = hours.map((hour) => `('${keys.appId}', '${kind}', 'KR', ${hour}, 5, 5, 4, 1)`)
    await world.write(
      `INSERT INTO traffic_hours (app_id, key_kind, country, hour, sent, credits, verified, unverified) VALUES ${rows}`,
    )
  }
  const issue = (
    n: number,
    { key = browser, ip = `198.51.${n % 250}.${Math.floor(n / 250)}`, headers = {}, ...input } = {} as Options,
  ) =>
    world.call(
      wire,
      'issue',
      { phoneNumber: phone(n), purpose: 'signup', idempotencyKey: `k${made++}`, ...input },
      { key, ip, headers: { ...(key === browser && { origin: ORIGIN }), ...headers } },
    )
  /** How many of so many are let in. */
  const letIn = async (count: number, options: Record<string, unknown> = {}, from = 0) => {
    const statuses: number[] = []
    for (let n = from; n < from + count; n++) statuses.push((await issue(n, options)).status)
    return statuses.filter((status) => status === 200).length
  }
  const decide = (decided: administer.WantedProtection) =>
    world.run(administer.protectApp(world.admin, keys.appId, decided))
  const cap = (changes: Partial<Cap>): Cap => ({
    kind: 'pk',
    per: 'app',
    of: 'messages',
    every: 'hour',
    max: 3,
    ...changes,
  })
  const decisions = () =>
    world.rows(
      'SELECT rule, CASE WHEN refused THEN 1 ELSE 0 END AS refused, CAST(sum(times) AS INTEGER) AS times FROM decisions GROUP BY rule, refused ORDER BY rule',
    )

  describe('whose traffic is known', () => {
    beforeEach(() => learn())

    test('has so many codes at a time that nobody has typed yet, and is told when to try again', async () => {
      expect(await letIn(MORE)).toBe(LET_IN)
      const { status, body, headers } = await issue(99)
      expect({ status, data: body.data ?? body }).toMatchObject({
        status: 429,
        data: { limit: 'abuse', policy: 'platform' },
      })
      expect(Number(headers.get('retry-after'))).toBe(30)
      // Why is nobody's matter but the operator's.
      expect(JSON.stringify(body)).not.toMatch(/pending|country|unverified|conversion/)
    })

    test('lets in who comes back when told, and nobody who does not wait', async () => {
      await letIn(MORE)
      expect((await issue(99)).status).toBe(429)
      expect((await issue(99)).status).toBe(429)
      await world.advance(30_000)
      expect([(await issue(99)).status, (await issue(98)).status]).toEqual([200, 429])
    })

    test('is refused at once where a carrier has no room: who is refused waits for no place there', async () => {
      const config = { url: SMS_URL, reports: true, reportSecret: REPORT_SECRET }
      const carrier = { name: 'main', type: 'http' as const, channels: ['sms' as const], config, concurrency: 1 }
      await world.run(administer.setCarrier(world.admin, carrier))
      await world.advance(2_000)
      expect(await letIn(LET_IN - 1)).toBe(LET_IN - 1)
      world.sms.script(() => new Promise(() => {}))
      expect((await issue(LET_IN)).status).toBe(200)
      let isAnswered = false
      const refused = issue(80).finally(() => {
        isAnswered = true
      })
      await world.settle()
      expect(isAnswered).toBe(true)
      expect((await refused).status).toBe(429)
    })

    /** Somebody asks for a code and types it. */
    const signIn = async (n: number) => {
      const { body } = await issue(n)
      await world.advance(5_000)
      const typed = { issueId: body.issueId, code: world.sms.lastCode() }
      const { body: answer } = await world.call(wire, 'verify', typed, { key: browser, headers: { origin: ORIGIN } })
      return answer.verified
    }

    test('gives the place of a code that is refused for something else to another', async () => {
      expect((await issue(0)).status).toBe(200)
      for (let n = 0; n < 20; n++) expect((await issue(0)).body.data.limit).toBe('resend')
      expect(await letIn(MORE, {}, 1)).toBe(LET_IN - 1)
    })

    test('has more where they are typed', async () => {
      for (let n = 0; n < 80; n++) expect([n, await signIn(n)]).toEqual([n, true])
    })

    test('holds a prefix to less than its country, and refuses it alone', async () => {
      let sent = 0
      while ((await issue(sent, { phoneNumber: phone(sent, 7) })).status === 200) sent++
      expect(sent).toBeLessThan(LET_IN - 10)
      expect((await issue(50)).status).toBe(200)
    })

    test('holds an address of end users to less than all', async () => {
      const key = keys.live
      await learn('sk')
      const headers = { 'x-watchword-client-ip': '203.0.113.9' }
      const ip = '192.0.2.1'
      expect(await letIn(40, { key, ip, headers })).toBeLessThan(LET_IN - 10)
      expect(await letIn(3, { key, ip, headers: { 'x-watchword-client-ip': '203.0.113.10' } }, 50)).toBe(3)
    })

    test('counts its kinds of key apart: a leaked browser key stops no server', async () => {
      expect(await letIn(MORE)).toBe(LET_IN)
      expect(await letIn(5, { key: keys.live }, 60)).toBe(5)
    })

    /** Nobody has typed them when they are over. */
    const attack = async () => {
      await letIn(MORE)
      await world.leap(5 * MINUTE_MS)
      expect((await issue(100)).status).toBe(429)
    }

    test('is suspected also where they come slowly, while few people go on', async () => {
      let isRefused = false
      let sent = 0
      for (let minute = 0; minute < 12 * 60 && !isRefused; minute += 5) {
        if (minute % 15 === 0) await signIn(1_000 + minute)
        isRefused = (await issue(minute)).status !== 200
        if (!isRefused) sent++
        await world.leap(5 * MINUTE_MS)
      }
      // No hour of it has more than twelve.
      expect(isRefused).toBe(true)
      expect(sent).toBeGreaterThan(20)
    })

    test('is suspected as before where the server starts anew', async () => {
      await attack()
      await world.advance(10_000)
      const { place, clock } = world
      await world.run(world.app.stop())
      await start({ place, clock })
      expect((await issue(101)).status).toBe(429)
    })

    test('is open again where those who come back type their codes', async () => {
      await attack()
      let refused = 0
      for (let n = 200; n < 240; n++) {
        if ((await issue(n)).status !== 200) refused++
        // A browser key waits as long between two codes.
        await world.advance(30_000)
        expect([n, await signIn(n)]).toEqual([n, true])
        await world.leap(MINUTE_MS)
      }
      expect(refused).toBeLessThan(40)
      expect((await issue(300)).status).toBe(200)
    })

    test('is read by a server that starts, before anybody asks', async () => {
      await issue(0)
      await world.advance(5_000)
      const { place, clock } = world
      await world.run(world.app.stop())
      let looks = 0
      const countLooks = ({ read, ...store }: Store): Store => {
        const seen: typeof read.traffic.issues = (...asked) => {
          looks++
          return read.traffic.issues(...asked)
        }
        return { ...store, read: { ...read, traffic: { ...read.traffic, issues: seen } } }
      }
      await start({ place, clock, wrapStore: countLooks })
      await world.settle()
      expect(looks).toBeGreaterThan(0)
      const before = looks
      expect((await issue(1)).status).toBe(200)
      expect(looks).toBe(before)
    })

    test('takes a refusal for nothing: the same key is new when time has passed, and a code that is stored is answered again', async () => {
      const first = await issue(0, { idempotencyKey: 'first' })
      await letIn(MORE, {}, 1)
      expect((await issue(80, { idempotencyKey: 'late' })).status).toBe(429)
      expect((await issue(0, { idempotencyKey: 'first' })).body.issueId).toBe(first.body.issueId)
      expect(await world.rows('SELECT reserved FROM wallets WHERE reserved > 46')).toEqual([])
      await decide({ conversion: 'off' })
      expect((await issue(80, { idempotencyKey: 'late' })).status).toBe(200)
    })

    test('refuses nobody who is trusted', async () => {
      await letIn(MORE)
      const { numbering } = world.config
      await world.run(administer.trustPhone({ ...world.admin, numbering }, keys.appId, phone(70)))
      expect([(await issue(70)).status, (await issue(71)).status]).toEqual([200, 429])
      await decide({ trusted: { networks: ['192.0.2.0/24'] } })
      expect((await issue(72, { ip: '192.0.2.77' })).status).toBe(200)
      await decide({ trusted: { countries: ['KR'], networks: [] } })
      expect((await issue(73)).status).toBe(200)
    })

    test('only watches where it is told so, and is not looked at where it is told that', async () => {
      await decide({ conversion: 'watch' })
      expect(await letIn(MORE)).toBe(MORE)
      await world.advance(6_000)
      expect(await decisions()).toEqual([{ rule: 'country_unverified', refused: 0, times: 5 }])
      await decide({ conversion: 'off' })
      expect(await letIn(20, {}, 60)).toBe(20)
      await world.advance(6_000)
      expect(await decisions()).toEqual([{ rule: 'country_unverified', refused: 0, times: 5 }])
    })

    test('has so many rows a minute of what was refused, from however many places', async () => {
      await letIn(LET_IN)
      for (let n = 0; n < 4; n++) {
        await letIn(60, {}, 60 + n * 60)
        await world.advance(6_000)
      }
      const count = 'SELECT count(*) AS n, sum(times) AS refused FROM decisions'
      const [rows] = await world.rows<{ n: number; refused: number }>(count)
      expect([Number(rows?.n) <= 101, Number(rows?.refused)]).toEqual([true, 240])
    })

    test('has one incident for all that follows, which the log names once', async () => {
      await letIn(LET_IN + 15)
      await world.advance(SEEN_MS)
      await letIn(10, {}, 80)
      await world.advance(6_000)
      const incidents = await world.rows('SELECT refused FROM incidents')
      expect(incidents).toMatchObject([{ refused: 25 }])
      expect(world.logged.filter((line) => line.includes('codes that nobody types'))).toHaveLength(1)
    })

    test('gives back what an incident has cost, once, from an hour before it was seen', async () => {
      await letIn(3, {}, 400)
      await world.leap(70 * MINUTE_MS)
      const sent = await letIn(LET_IN + 15)
      await world.advance(SEEN_MS)
      await world.leap(5 * MINUTE_MS)
      const [incident] = await world.run(world.store.read.traffic.openIncidents(keys.appId))
      const id = incident?.incidentId ?? ''
      for (const { messageId } of world.sms.accepted) await world.report('main', { messageId, status: 'delivered' })
      await world.advance(5_000)
      const { refunded } = await world.run(administer.refundUntyped(world.admin, id))
      expect(refunded).toEqual({ issues: sent, credits: sent })
      const again = await world.run(administer.refundUntyped(world.admin, id))
      expect([again.refunded.credits, again.incident.refunded]).toEqual([0, sent])
    })

    test('is suspected as before where the clock is set ahead, and open again in time', async () => {
      await attack()
      world.clock.step(HOUR_MS)
      await world.advance(2_000)
      expect((await issue(101)).status).toBe(429)
      await world.leap(12 * HOUR_MS)
      expect((await issue(102)).status).toBe(200)
    })

    test('is counted anew where the clock is set back: what was sent lies ahead', async () => {
      await attack()
      world.clock.step(-HOUR_MS)
      await world.advance(2_000)
      expect(await letIn(MORE, {}, 200)).toBe(LET_IN)
    })

    describe('where an operator ends the incident', () => {
      /** The answer of the one who ends it. */
      const end = async (hours?: number) => {
        await letIn(LET_IN + 15)
        await world.advance(SEEN_MS)
        expect((await issue(100)).status).toBe(429)
        await world.advance(6_000)
        const [incident] = await world.run(world.store.read.traffic.openIncidents(keys.appId))
        return world.run(administer.endIncident(world.admin, incident?.incidentId ?? '', hours))
      }

      test('is open for a day, whatever rules find, and for no longer', async () => {
        const { reopenedUntil } = await end()
        expect(reopenedUntil).toBe(world.clock.now() + DAY_MS)
        expect(await letIn(80, {}, 200)).toBe(80)
        await world.leap(5 * MINUTE_MS)
        expect(await letIn(40, {}, 300)).toBe(40)
        await world.advance(6_000)
        expect(await world.run(world.store.read.traffic.openIncidents(keys.appId))).toEqual([])
        await world.leap(DAY_MS)
        await letIn(MORE, {}, 400)
        expect((await issue(500)).status).toBe(429)
      })

      test('may be open for as many hours as the operator says, up to a week', async () => {
        const { incident, reopenedUntil } = await end(2)
        expect(reopenedUntil).toBe(world.clock.now() + 2 * HOUR_MS)
        for (const hours of [0, 169, 1.5])
          expect(
            (await errorOf(world.run(administer.endIncident(world.admin, incident.incidentId, hours)))).message,
          ).toMatch(/1 to 168/)
      })

      test('still closes what its owner closes', async () => {
        await end()
        await world.run(administer.blockPlace(world.admin, keys.appId, { country: 'KR' }))
        expect((await issue(101)).status).toBe(429)
      })
    })
  })

  describe('whose traffic is not known yet', () => {
    test('is suspected after some hundred codes by browser keys, and only watched by its own server', async () => {
      const sent = await letIn(400)
      expect(sent).toBeGreaterThanOrEqual(300)
      expect(sent).toBeLessThan(360)
      expect(await letIn(100, { key: keys.live }, 500)).toBe(100)
    })

    test('is held to its caps', async () => {
      await decide({ caps: [cap({ max: 3 })] })
      expect(await letIn(5)).toBe(3)
      const { body, headers } = await issue(9)
      expect((body.data ?? body).limit).toBe('abuse')
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(2 * 3_600)
      await world.leap(2 * HOUR_MS)
      expect(await letIn(1, {}, 20)).toBe(1)
    })

    test('which is said where they refuse many, and not that nobody types', async () => {
      await decide({ caps: [cap({ max: 3 })] })
      await letIn(15)
      await world.advance(6_000)
      const said = world.logged.filter((line) => line.includes('incidentId'))
      expect(said).toHaveLength(1)
      expect(said[0]).toContain('more codes than a cap allows')
    })

    test('whichever way the clock is set: they open again, and only so far', async () => {
      await decide({ caps: [cap({ max: 3 })] })
      expect(await letIn(5)).toBe(3)
      world.clock.step(DAY_MS)
      await world.advance(2_000)
      expect(await letIn(5, {}, 20)).toBe(3)
      world.clock.step(-HOUR_MS)
      await world.advance(2_000)
      expect(await letIn(5, {}, 40)).toBeLessThanOrEqual(3)
      expect((await issue(50)).status).toBe(429)
      await world.leap(4 * HOUR_MS)
      expect(await letIn(5, {}, 60)).toBe(3)
    })

    test.each([
      ['of messages a day', { every: 'day' }, 3],
      ['of credits', { of: 'credits', max: 4 }, 4],
      ['of a country', { per: 'country' }, 3],
      ['of a prefix, of which each has one', { per: 'prefix' }, 5],
      ['of another kind of key', { kind: 'sk' }, 5],
    ] as const)('such as %s', async (_, changes, expected) => {
      await decide({ caps: [cap(changes)] })
      expect(await letIn(5)).toBe(expected)
    })

    test('and lets more through where they are only watched', async () => {
      await decide({ caps: [cap({})], capping: 'watch' })
      expect(await letIn(5)).toBe(5)
      await world.advance(6_000)
      expect(await decisions()).toEqual([{ rule: 'cap', refused: 0, times: 2 }])
    })

    test('also where many come at a time', async () => {
      await decide({ caps: [cap({ max: 3 })] })
      const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => issue(n)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    })
  })

  test('sends nothing for a while to a place that its operator has stopped, with any key', async () => {
    await world.run(administer.blockPlace(world.admin, keys.appId, { country: 'KR' }))
    for (const key of [browser, keys.live]) {
      const { status, headers } = await issue(1, { key })
      expect([status, headers.get('retry-after')]).toEqual([429, String(DAY_MS / 1_000)])
    }
    expect((await issue(2, { key: keys.live, phoneNumber: '+81 90 1234 5678' })).status).toBe(200)
    await world.run(administer.unblockPlace(world.admin, keys.appId, { country: 'KR' }))
    expect((await issue(1)).status).toBe(200)
    await world.run(administer.blockPlace(world.admin, keys.appId, { country: 'KR', forMs: HOUR_MS }))
    expect((await issue(3)).status).toBe(429)
    await world.leap(HOUR_MS)
    expect((await issue(3)).status).toBe(200)
  })

  test('holds test keys to nothing of this', async () => {
    await learn()
    await decide({ caps: [cap({ kind: 'sk', max: 1 })] })
    const statuses: number[] = []
    for (let n = 0; n < 20; n++)
      statuses.push((await issue(n, { key: keys.test, phoneNumber: `010-0000-00${10 + n}` })).status)
    expect(statuses.filter((status) => status === 429)).toEqual([])
    expect(await world.rows('SELECT count(*) AS n FROM decisions')).toEqual([{ n: 0 }])
  })

  test('stores neither the digits of a prefix nor an address', async () => {
    await learn()
    await letIn(MORE)
    await world.advance(10_000)
    const stored = JSON.stringify(
      await world.rows(
        'SELECT hex(prefix_hash) AS p, hex(network_hash) AS n FROM issues UNION SELECT hex(prefix_hash), hex(network_hash) FROM decisions',
      ),
    )
    expect(stored).not.toMatch(/2B3832|198\.51|3139382E/)
    expect(world.logged.join()).not.toMatch(/198\.51|8210/)
  })
})
