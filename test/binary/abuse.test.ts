/** A browser key that leaked, in the hands of somebody with many addresses, against the binary on either store. */
import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { isNightly } from '../support/depth'
import { sharedPostgres } from '../support/postgres'
import { HANGS_AFTER_MS, until } from '../support/until'
import { released } from './compiled'
import { type Answer, newFolder, runJson, Server, StubCarrier } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const ORIGIN = 'https://app.example.com'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const REQUESTS = 300
/** Asked for together, so that servers decide while others do. */
const AT_ONCE = 15
/** Codes of such an app before one server refuses. Several servers agree after some seconds; until then each counts its own. */
const OF_ONE_SERVER = 50
/** Codes that may be on their way to the other servers when one decides. */
const A_TRIAL = 6

type Phone = (n: number) => string
const ofOnePrefix: Phone = (n) => `+82102345${String(1_000 + n).slice(-4)}`
const ofAnyPrefix: Phone = (n) => `+8210${2_000 + ((n * 7) % 2_900)}${String(1_000 + n).slice(-4)}`

/** Two weeks of an app that verifies four of five codes, four an hour. */
const usual = (appId: string) =>
  Array.from({ length: 14 * 24 }, (_, n) => {
    const hour = Math.floor(Date.now() / HOUR_MS - 26 - n) * HOUR_MS
    return `('${appId}', 'pk', 'KR', ${hour}, 5, 5, 4, 1)`
  }).join(', ')
const LEARN = 'INSERT INTO traffic_hours (app_id, key_kind, country, hour, sent, credits, verified, unverified) VALUES '

const STEPS = 'SELECT count(*) AS n FROM clock_steps'

interface Place {
  cwd: string
  env: Record<string, string>
  learn(appId: string): Promise<void>
  /** The clock that counts is wrong by so much from here on. */
  setClock(byMs: number): Promise<void>
  /** How often a server has made what is stored fit a clock that was set back. */
  clockSteps(): Promise<number>
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
    async clockSteps() {
      using db = new Database(join(folder.path, 'watchword-data/watchword.db'))
      return db.query<{ n: number }, []>(STEPS).get()?.n ?? 0
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
    async clockSteps() {
      const sql = new SQL(database.url)
      const [row] = await sql.unsafe(STEPS)
      await sql.close()
      return Number(row.n)
    },
    async remove() {
      folder.remove()
      await database.drop()
    },
  }
}

const PLACES = [
  ['SQLite', onFile, 1],
  ['PostgreSQL, three servers', onPostgres, 3],
] as const
/** Several servers by night only: their simulation, which every commit plays, has an attacker, too. */
describe.each(isNightly ? PLACES : PLACES.slice(0, 1))('on %s', (_, newPlace, count) => {
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
    return { program, appId, key, servers, start, place }
  }

  let asked = 0
  /**
   * Whoever has the key asks from another address each time, for another number. On a busy machine a server that has just
   * started may have no time for it; then it is asked again.
   */
  const ask = async (server: Server | undefined, key: string, phoneNumber: Phone) => {
    const n = asked++
    const from = `198.${18 + (n % 2)}.${(n >> 8) % 256}.${n % 256}`
    const more = { origin: ORIGIN, 'x-forwarded-for': from }
    const order = { phoneNumber: phoneNumber(n), purpose: 'signup', idempotencyKey: crypto.randomUUID() }
    let answer: Answer | undefined
    const isAnswered = async () => {
      answer = await server?.call('POST', '/v1/issue', key, order, more)
      return answer?.status !== 503
    }
    await until(isAnswered, 'a server to have time')
    if (answer?.status !== 200) expect(answer).toMatchObject({ status: 429, body: { data: { limit: 'abuse' } } })
    return { isRefused: answer?.status === 429, retryAfterSec: Number(answer?.headers.get('retry-after')) }
  }

  /** 300 numbers from 300 addresses in two halves, between which each server is killed and started again. */
  async function attack(phone: Phone) {
    const opened = await open()
    const { key, servers, start, place } = opened
    const half = async () => {
      for (let n = 0; n < REQUESTS / 2; n += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => ask(servers[index % count], key, phone)))
    }
    const restart = async () => {
      for (const server of servers) await server.stop('SIGKILL')
      await start()
    }
    await half()
    const before = carrier.received.length
    expect(before).toBeGreaterThan(0)
    expect(before).toBeLessThanOrEqual(count * OF_ONE_SERVER)
    // What is younger than two seconds may still be on its way into the store: no server counts it that has not sent it.
    await place.setClock(10_000)
    await restart()
    await half()
    expect(carrier.received.length - before).toBeLessThanOrEqual(A_TRIAL)
    return opened
  }

  test('300 numbers of any prefix cost next to nothing, also after a restart, and whichever way the clock is set', async () => {
    const { program, appId, key, servers, place } = await attack(ofAnyPrefix)
    const isRefused = async (server = servers[0]) => (await ask(server, key, ofAnyPrefix)).isRefused
    const waitSec = async () => (await ask(servers[0], key, ofAnyPrefix)).retryAfterSec

    // Nobody has typed a code or come back, and by this clock there was time for it.
    await place.setClock(5 * MINUTE_MS)
    const written = () => servers.map(({ stdout, stderr }) => stdout + stderr).join()
    await until(() => written().includes('codes that nobody types'), 'the incident to be stored')
    expect(written()).not.toMatch(/198\.1[89]\.|\+8210/)
    for (const server of servers) await until(() => isRefused(server), 'every server to know')

    /** What was sent lies ahead then, or is forgotten: as many are let in as at first, and no more. */
    const letIn = async () => {
      let granted = 0
      for (let n = 0; n < REQUESTS / 2; n++) if (!(await isRefused(servers[n % count]))) granted++
      return granted
    }
    await place.setClock(-HOUR_MS)
    await until(async () => (await place.clockSteps()) > 0, 'the clock to be followed')
    expect(await letIn()).toBeLessThanOrEqual(count * OF_ONE_SERVER)
    await place.setClock(1.25 * DAY_MS + HOUR_MS)
    await until(async () => !(await isRefused()), 'the country to be open again')
    expect(await letIn()).toBeLessThanOrEqual(count * OF_ONE_SERVER)

    // Its owner sees that, and stops it altogether.
    await runJson(program, 'app', 'block', appId, '--country', 'KR', '--yes')
    await until(async () => (await waitSec()) > 3_600, 'the block to hold')
    expect(written()).not.toMatch(/198\.1[89]\.|\+8210/)
  })

  test.if(isNightly)('300 numbers of one prefix cost next to nothing, also after a restart', async () => {
    await attack(ofOnePrefix)
  })
})
