/** A browser key that leaked, in the hands of somebody with many addresses, against processes on either store. */
import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { SQL } from 'bun'
import { sharedPostgres } from '../support/postgres'
import { fromSource, newFolder, type Program, runJson, Server, StubCarrier, until } from './support'

setDefaultTimeout(120_000)

const ORIGIN = 'https://app.example.com'
const HOUR_MS = 3_600_000
const REQUESTS = 200

/** Two weeks of an app that verifies four of five codes, four an hour. */
const usual = (appId: string) =>
  Array.from({ length: 14 * 24 }, (_, n) => {
    const hour = Math.floor(Date.now() / HOUR_MS - 26 - n) * HOUR_MS
    return `('${appId}', 'pk', 'KR', ${hour}, 5, 5, 4, 1)`
  }).join(', ')
const LEARN = 'INSERT INTO traffic_hours (app_id, key_kind, country, hour, sent, credits, verified, unverified) VALUES '

interface Place {
  env: Record<string, string>
  learn(appId: string): Promise<void>
  remove(): Promise<void>
}

const onFile = async (): Promise<Place & { cwd: string }> => {
  const folder = newFolder()
  return {
    cwd: folder.path,
    env: {},
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

const onPostgres = async (): Promise<Place & { cwd: string }> => {
  const folder = newFolder()
  const database = await (await sharedPostgres()).database()
  return {
    cwd: folder.path,
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
  ['PostgreSQL, two servers', onPostgres, 2],
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
    const program: Program = fromSource(place.cwd, {
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
    return { program, appId, key, servers, start }
  }

  let asked = 0
  /** Whoever has the key asks from another address each time, for another number. */
  const ask = (server: Server | undefined, key: string, phoneNumber: (n: number) => string) => {
    const n = asked++
    const from = `198.${18 + (n % 2)}.${(n >> 8) % 256}.${n % 256}`
    const more = { origin: ORIGIN, 'x-forwarded-for': from }
    const order = { phoneNumber: phoneNumber(n), purpose: 'signup', idempotencyKey: crypto.randomUUID() }
    return server?.call('POST', '/v1/issue', key, order, more)
  }

  test.each([
    ['of one prefix', (n: number) => `+82102345${String(1_000 + n).slice(-4)}`, 5 * count],
    ['of any prefix', (n: number) => `+8210${2_000 + ((n * 7) % 2_900)}${String(1_000 + n).slice(-4)}`, 15 * count],
  ] as const)(
    '200 numbers %s from 200 addresses cost next to nothing, and go on so after a restart',
    async (__, phone, most) => {
      const { program, appId, key, servers, start } = await open()
      const half = async () => {
        for (let n = 0; n < REQUESTS / 2; n++) {
          const answer = await ask(servers[n % count], key, phone)
          if (answer?.status !== 200) expect(answer).toMatchObject({ status: 429, body: { data: { limit: 'abuse' } } })
        }
      }
      await half()
      expect(carrier.received.length).toBeGreaterThan(0)
      expect(carrier.received.length).toBeLessThanOrEqual(most)
      // What was found is stored every five seconds.
      await Bun.sleep(6_500)
      for (const server of servers) await server.stop('SIGKILL')
      await start()
      await half()
      expect(carrier.received.length).toBeLessThanOrEqual(most)

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
})
