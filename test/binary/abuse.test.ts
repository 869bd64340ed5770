/** A browser key that leaked, in the hands of somebody with many addresses, against the binary on either store. */
import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { sharedPostgres } from '../support/postgres'
import { until } from '../support/until'
import { released } from './compiled'
import { newFolder, runJson, Server, StubCarrier } from './support'

setDefaultTimeout(120_000)

const ORIGIN = 'https://app.example.com'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const REQUESTS = 300
/** Asked for together, so that servers decide while others do. */
const AT_ONCE = 15
/** Fewer than so many credits, whoever is asked. */
const NEXT_TO_NOTHING = 50
/** What is tried again where the machine was so slow that a pause is over. */
const A_TRIAL = 6

/** Two weeks of an app that verifies four of five codes, four an hour. */
const usual = (appId: string) =>
  Array.from({ length: 14 * 24 }, (_, n) => {
    const hour = Math.floor(Date.now() / HOUR_MS - 26 - n) * HOUR_MS
    return `('${appId}', 'pk', 'KR', ${hour}, 5, 5, 4, 1)`
  }).join(', ')
const LEARN = 'INSERT INTO traffic_hours (app_id, key_kind, country, hour, sent, credits, verified, unverified) VALUES '

interface Place {
  cwd: string
  env: Record<string, string>
  learn(appId: string): Promise<void>
  /** The clock that counts is wrong by so much from here on. */
  setClock(byMs: number): Promise<void>
  remove(): Promise<void>
}

const onFile = async (): Promise<Place> => {
  const folder = newFolder()
  const clock = join(folder.path, 'clock')
  const setClock = async (byMs: number) => writeFileSync(clock, String(byMs))
  await setClock(0)
  copyFileSync(join(import.meta.dir, 'clock.ts'), join(folder.path, 'clock.ts'))
  return {
    cwd: folder.path,
    // Bun, which is in the binary, loads this before the program.
    env: { TEST_CLOCK: clock, BUN_OPTIONS: '--preload ./clock.ts' },
    setClock,
    async learn(appId) {
      const db = new Database(join(folder.path, 'watchword-data/watchword.db'))
      db.run(LEARN + usual(appId))
      db.close()
    },
    async remove() {
      folder.remove()
    },
  }
}

const onPostgres = async (): Promise<Place> => {
  const folder = newFolder()
  const database = await (await sharedPostgres()).database()
  return {
    cwd: folder.path,
    async setClock(byMs) {
      const sql = new SQL(database.url)
      await sql.unsafe(`CREATE OR REPLACE FUNCTION clock_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
        $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${byMs} $$`)
      await sql.close()
    },
    env: { WATCHWORD_DATABASE_URL: database.url, WATCHWORD_SECRET: 'a secret of every server, 32 characters' },
    async learn(appId) {
      const sql = new SQL(database.url)
      await sql.unsafe(LEARN + usual(appId))
      await sql.close()
    },
    async remove() {
      folder.remove()
      await database.drop()
    },
  }
}

describe.each([
  ['SQLite', onFile, 1],
  ['PostgreSQL, three servers', onPostgres, 3],
] as const)('on %s', (_, newPlace, count) => {
  const carrier = new StubCarrier()
  let leave: Array<() => unknown> = []
  afterEach(async () => {
    for (const step of leave.reverse()) await step()
    leave = []
    carrier.received.length = 0
  })

  async function open() {
    const place = await newPlace()
    leave.push(place.remove)
    const program = await released(place.cwd, {
      ...place.env,
      WATCHWORD_TRUSTED_PROXIES: '127.0.0.0/8',
      // As leaky as a key may be: only what this is about holds it.
      WATCHWORD_LIMIT_PK_ISSUES_PER_MIN: '100000',
    })
    const { appId } = await runJson(program, 'app', 'create', 'shop')
    await runJson(program, 'credit', 'add', '--app', appId, '--amount', '10000')
    await runJson(program, 'provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', carrier.url)
    const { key } = await runJson(
      program,
      'key',
      'create',
      '--app',
      appId,
      '--kind',
      'pk',
      '--mode',
      'live',
      '--origin',
      ORIGIN,
    )
    await place.learn(appId)
    const servers: Server[] = []
    const start = async () => {
      for (let n = 0; n < count; n++) servers[n] = await Server.start(program)
    }
    await start()
    leave.push(() => Promise.all(servers.map((server) => server.stop('SIGKILL'))))
    return { program, appId, key, servers, start, setClock: place.setClock }
  }

  let asked = 0
  /**
   * Whoever has the key asks from another address each time, for another number. On a busy machine a server that has just
   * started may have none of its time for it; then it asks again, when told.
   */
  const ask = async (server: Server | undefined, key: string, phoneNumber: (n: number) => string) => {
    const n = asked++
    const from = `198.${18 + (n % 2)}.${(n >> 8) % 256}.${n % 256}`
    const more = { origin: ORIGIN, 'x-forwarded-for': from }
    const order = { phoneNumber: phoneNumber(n), purpose: 'signup', idempotencyKey: crypto.randomUUID() }
    for (;;) {
      const answer = await server?.call('POST', '/v1/issue', key, order, more)
      if (answer?.status !== 503) return answer
      await Bun.sleep(Number(answer.headers.get('retry-after')) * 1_000)
    }
  }

  test.each([
    ['of one prefix', (n: number) => `+82102345${String(1_000 + n).slice(-4)}`],
    ['of any prefix', (n: number) => `+8210${2_000 + ((n * 7) % 2_900)}${String(1_000 + n).slice(-4)}`],
  ] as const)(
    '300 numbers %s from 300 addresses cost next to nothing, and go on so after a restart',
    async (__, phone) => {
      const { program, appId, key, servers, start } = await open()
      const half = async () => {
        for (let n = 0; n < REQUESTS / 2; n += AT_ONCE) {
          const together = Array.from({ length: AT_ONCE }, (_, index) => ask(servers[index % count], key, phone))
          for (const answer of await Promise.all(together))
            if (answer?.status !== 200)
              expect(answer).toMatchObject({ status: 429, body: { data: { limit: 'abuse' } } })
        }
      }
      await half()
      expect(carrier.received.length).toBeGreaterThan(0)
      expect(carrier.received.length).toBeLessThan(NEXT_TO_NOTHING)
      const before = carrier.received.length
      // What was found is stored every five seconds.
      await Bun.sleep(6_500)
      for (const server of servers) await server.stop('SIGKILL')
      await start()
      await half()
      expect(carrier.received.length - before).toBeLessThanOrEqual(A_TRIAL)

      // Its owner sees that, and stops it altogether.
      await runJson(program, 'app', 'block', appId, '--country', 'KR')
      await until(async () => {
        const answer = await ask(servers[0], key, (n) => `+8210${6_000 + (n % 900)}${1_000 + (n % 9_000)}`)
        return Number(answer?.headers.get('retry-after')) > 3_600
      }, 'the block to hold')
      const written = servers.map(({ stdout, stderr }) => stdout + stderr).join()
      expect(written).not.toMatch(/198\.1[89]\.|\+8210/)
    },
  )

  test('a code a minute for any prefix is found out, and stays so whichever way the clock is set', async () => {
    const { key, servers, start, setClock } = await open()
    const anywhere = (n: number) => `+8210${2_000 + ((n * 7) % 2_900)}${String(1_000 + n).slice(-4)}`
    let wrongByMs = 0
    const step = async (byMs: number) => {
      wrongByMs += byMs
      await setClock(wrongByMs)
      // Each server looks at what has come of age every second or so.
      await Bun.sleep(1_500)
    }
    const isRefused = async (server = servers[0]) => {
      const answer = await ask(server, key, anywhere)
      if (answer?.status !== 200) expect(answer).toMatchObject({ status: 429, body: { data: { limit: 'abuse' } } })
      return answer?.status === 429
    }
    const isPaused = async () => {
      await step(MINUTE_MS)
      const answer = await ask(servers[0], key, anywhere)
      return Number(answer?.headers.get('retry-after')) > 10 * 60
    }

    await until(isPaused, 'the country to be paused')
    const written = () => servers.map(({ stdout, stderr }) => stdout + stderr).join()
    await until(() => written().includes('codes that nobody types'), 'the pause to be stored')
    for (const server of servers) await until(() => isRefused(server), 'every server to know')
    await step(-HOUR_MS)
    for (const server of servers) expect(await isRefused(server)).toBe(true)
    for (const server of servers) await server.stop('SIGKILL')
    await start()
    for (const server of servers) expect(await isRefused(server)).toBe(true)

    // A day later it is over: it is tried with few, and those wait until they are judged.
    await step(DAY_MS + HOUR_MS)
    let granted = 0
    for (let n = 0; n < REQUESTS; n++) if (!(await isRefused(servers[n % count]))) granted++
    expect(granted).toBeGreaterThan(0)
    expect(granted).toBeLessThan(NEXT_TO_NOTHING)
  }, 300_000)
})
