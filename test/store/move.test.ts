/** Moving between the two kinds of database: everything arrives, or the target does not count as complete. */
import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { SQL } from 'bun'
import { getTableColumns, getTableName } from 'drizzle-orm'
import { SQLITE } from '../../src/store/dialect'
import { type MoveOptions, move, undoMove } from '../../src/store/move/move'
import { openUrl } from '../../src/store/move/postgres'
import { openFile } from '../../src/store/move/sqlite'
import { TABLES } from '../../src/store/move/tables'
import { openStore as openPostgres } from '../../src/store/postgres/open'
import { createDatabase } from '../../src/store/sqlite/open'
import { createVault } from '../../src/system/vault'
import { errorOf } from '../support/error-of'
import { type Database as Place, sharedPostgres } from '../support/postgres'
import { HANGS_AFTER_MS } from '../support/until'
import { openAt, query, Scratch } from './open'
import { furnish, issueNumber, StillClock, VAULT } from './sample'

setDefaultTimeout(HANGS_AFTER_MS)

const server = await sharedPostgres()
const places: Place[] = []
const scratches: Scratch[] = []
afterAll(async () => {
  for (const place of places) await place.drop()
  for (const scratch of scratches) scratch[Symbol.dispose]()
})

async function emptyUrl(): Promise<string> {
  const place = await server.database()
  places.push(place)
  return place.url
}

function emptyFile(): string {
  const scratch = new Scratch()
  scratches.push(scratch)
  createDatabase(scratch.file)
  return scratch.file
}

const ID = '00112233445566778899aabbccddeeff'
const NASTY = 'tab\t line\n\r back\\slash \\N \\. quote\' "한글" 🙂'
const uuid = (n: number) => `X'019ca91c4e0070008000${n.toString(16).padStart(12, '0')}'`
const blob = (bytes: number, n: number) => `X'${n.toString(16).padStart(2 * bytes, '0')}'`
const text = (value: string) => `'${value.replaceAll("'", "''")}'`

/** Rows in every table, some with awkward values. */
async function furnishedFile(): Promise<string> {
  const file = emptyFile()
  const store = openAt(file)
  await furnish(store)
  await store.close()
  const db = new Database(file)
  const hexed = (bytes: Uint8Array) => `X'${Buffer.from(bytes).toString('hex')}'`
  const rows: Record<string, string[]> = {
    key_ring: VAULT.ring
      .renewed(Buffer.from('the secret that this is changed to'), { names: ['one'], signsUntil: 1, until: 2 }, 5)
      .map(({ name, secretId, sealed, madeAt, begunAt = 'NULL' }) => {
        return `'${name}', ${hexed(secretId)}, ${hexed(sealed)}, ${madeAt}, ${begunAt}`
      }),
    api_keys: [1, 2].map(
      (n) =>
        `'key_${n}', 'app_one', 'sk', 'live', ${blob(32, n)}, 'sk_', 'abcd', '["*"]', '[]', '[]', '{}', NULL, ${n === 1 ? 'NULL' : '77'}, 5, NULL, '[]', ${n === 1 ? 'NULL' : text(NASTY)}, 'op_1'`,
    ),
    challenges: [`'app_one', ${blob(60, 4)}`],
    relays: [`'rly_one', 'app_one', ${blob(60, 5)}`],
    templates: [
      `'app_one', 'mine', 1, ${text(NASTY)}, '["sms"]', ${text(`#{code} ${NASTY}`)}, '{}', '', 5, 'ko', ${text(`{"en":{"body":${JSON.stringify(`#{code} ${NASTY}`)}}}`)}, '{"entityId":"1201"}', 'cli'`,
    ],
    providers: [`'main', 'http', '["sms"]', ${blob(20, 9)}, 5, 3, 6, NULL, 7`],
    provider_health: [`'main', 0, 5, 'HTTP_500', 9`, `'other', 1, 5, NULL, NULL`],
    routes: [`'sms', '', '', '["main"]'`, `'sms', 'KR', 'app_one', '["main","other"]'`],
    wallets: [`'app_one', 90, 2, 0, 2, 9007199254740991, NULL`],
    ledger_entries: [
      `'app_one', 5, 1, 'credit', 100, 100, NULL, ${text('order\t7')}`,
      `'app_one', 6, 2, 'debit', -10, 90, ${uuid(1)}, NULL`,
    ],
    issues: [1, 2, 3].map(
      (n) =>
        `'app_one', '${n === 3 ? 'test' : 'live'}', ${uuid(n)}, ${uuid(n + 50)}, 'signup', 'otp', 'sms', 1, ${blob(32, n)}, ${blob(32, 7)}, ${n === 1 ? 'NULL' : "'KR'"}, ${n === 2 ? text(JSON.stringify({ note: NASTY })) : 'NULL'}, 5, 9, 5, '${n === 1 ? 'verified' : 'issued'}', 0, ${n === 1 ? '8' : 'NULL'}, 'queued', 'sms', ${n - 1 && 1}, 0, NULL, 'reserved', 1, 0, 6, '${n === 1 ? 'sk' : 'pk'}', ${n === 2 ? '11' : 'NULL'}, ${n === 2 ? blob(8, 4) : 'NULL'}, ${n === 2 ? blob(8, 5) : 'NULL'}, ${n === 2 ? `'a-request 00-trace'` : 'NULL'}, ${n === 2 ? text('[{"channel":"voice","waitSec":8}]') : 'NULL'}, ${n === 2 ? "'[7,8]'" : 'NULL'}, ${n === 1 ? '12' : 'NULL'}, ${n === 1 ? blob(16, 1) : 'NULL'}, ${n === 1 ? blob(16, 2) : 'NULL'}, ${n === 2 ? '5' : 'NULL'}, ${n === 2 ? text('{"carrier":"main"}') : 'NULL'}, ${n === 2 ? "'c2VhbGVk'" : 'NULL'}`,
    ),
    erased_issues: [
      `'app_one', 'live', ${uuid(1)}, 0, NULL, NULL`,
      `'app_one', 'live', ${uuid(9)}, 1, ${blob(16, 3)}, ${blob(16, 4)}`,
    ],
    erasures: [`${blob(32, 1)}, '', 12, NULL`, `${blob(32, 1)}, 'app_one', 12, 13`],
    absent_phones: [`'whatsapp', ${blob(32, 1)}, 14`],
    outbox: [`${uuid(2)}, ${blob(30, 3)}, 9`, `${uuid(3)}, X'', 9`],
    attempts: [
      `'app_one', 'live', ${uuid(2)}, 1, 'sms', 'main', ${uuid(52)}, 6, 7, 'refused', 'later', 'X', ${text(NASTY)}, ${text(NASTY)}, 'failed', 9, ${text(NASTY)}, NULL`,
      `'app_one', 'live', ${uuid(2)}, 2, 'sms', 'main', ${uuid(52)}, 8, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 7`,
    ],
    jobs: [
      `11, 'deliver', 'app_one', 'live', ${uuid(2)}, 99, 3, 'main', 0, NULL`,
      `12, 'await-report', 'app_one', 'live', ${uuid(1)}, 5, 1, '', 0, NULL`,
    ],
    webhook_endpoints: [
      `'whe_one', 'app_one', 'live', 'https://a.example/?x=${text(NASTY).slice(1, -1)}', '[]', '{}', ${blob(9, 1)}, ${text(NASTY)}, ${blob(9, 2)}, NULL, NULL, 7, 5, 0`,
    ],
    webhook_events: [
      `${uuid(70)}, 'app_one', 'live', 'otp.sent', ${uuid(2)}, ${blob(200, 5)}, 5, 'a-request'`,
      `${uuid(71)}, 'app_one', 'live', 'otp.sent', NULL, ${blob(200, 6)}, 5, NULL`,
    ],
    webhook_deliveries: [`21, ${uuid(80)}, 'whe_one', ${uuid(70)}, ${uuid(2)}, 'pending', 1, 1, 5`],
    webhook_attempts: [
      `${uuid(80)}, 1, 5, 6, 500, NULL, ${blob(10, 1)}`,
      `${uuid(80)}, 2, 5, 6, NULL, 'timeout', NULL`,
    ],
    operators: [
      `'op_1', 'a@b.example', ${text(NASTY)}, 'owner', '$argon2id$x', ${blob(20, 1)}, 5, NULL, NULL, ${blob(20, 2)}, NULL`,
      `'op_2', 'b@b.example', 'Ben', 'support', '$argon2id$x', NULL, 5, NULL, NULL, NULL, '["app_one"]'`,
    ],
    operator_addresses: [`'op_1', ${blob(16, 1)}, 6`],
    operator_sessions: [`${blob(32, 1)}, 'op_1', 5, 6, 'Chrome', 'macOS'`],
    invitations: [`${blob(32, 2)}, 'viewer', 'op_1', 5, 6, '["app_one"]', ${text(NASTY)}`],
    audit_entries: [1, 2].map((n) => `${n}, 5, 'cli', NULL, 'app.create', 'x', '{}', ${blob(32, n)}`),
    usage_intervals: [`3600000, 'app_one', 'live', 'sms', 'main', 'KR', 'signup', 3, 3, 2, 1, 1, 4, 3, '{"100":2}'`],
    prices: [`'prc_one', 'main', 'KR', '', 'KRW', 9900000, '2026-01-01'`],
    admin_tokens: [`'adm_one', ${text(NASTY)}, ${blob(32, 5)}, '["usage:read"]', '["app_one"]', '[]', 9, 'cli', 5`],
    admin_requests: [`'one', 'fingerprint', 5, ${blob(32, 6)}`],
    failures: [`'app_one', 'sk', ${blob(32, 3)}, '{"inARow":1}', 5`],
    traffic_hours: [`'app_one', 'pk', 'KR', 3600000, 4, 5, 3, 1`],
    traffic_snapshots: [`'app_one', 5, ${blob(40, 7)}`],
    decisions: [`'app_one', 60000, 'pk', 'KR', 'cap', 1, ${blob(8, 4)}, X'', 7, 8`],
    incidents: [
      `${uuid(90)}, 'app_one', 'pk', 'KR', 5, 6, NULL, 1, 7, '["cap"]', NULL, 0, 3, 9, 1, NULL`,
      `${uuid(91)}, 'app_one', 'pk', 'KR', 3, 4, 5, 0, 2, '[]', 4, 1, 0, NULL, 0, 2`,
    ],
    notices: [
      `${uuid(95)}, 'carrier_down', 'main', NULL, '{"carrier":"main"}', 5, NULL, NULL`,
      `${uuid(96)}, 'low_credit', 'app_one', 'app_one', ${text(JSON.stringify({ app: NASTY }))}, 5, 6, 7`,
    ],
    notice_ways: [`'way_one', ${text(NASTY)}, 'slack', ${blob(30, 8)}, 5`],
    notice_messages: [
      `${uuid(97)}, ${uuid(95)}, 'way_one', 'began', 'failed', 7, 8, 'HTTP 500'`,
      `${uuid(98)}, ${uuid(96)}, 'way_one', 'began', 'pending', 0, NULL, NULL`,
    ],
    clock_steps: ['5, 10', '5, 11'],
    facts: [`'audit_head', CAST('2 abc' AS BLOB)`, `'usage_until', CAST('3600000' AS BLOB)`],
  }
  db.run('DELETE FROM key_ring')
  for (const [table, values] of Object.entries(rows))
    for (const row of values) db.run(`INSERT INTO ${table} VALUES (${row})`)
  // A number that was given to a row that is deleted by now.
  db.run("UPDATE sqlite_sequence SET seq = 40 WHERE name = 'jobs'")
  db.close()
  return file
}

/** All moved rows of a file. */
function contentOf(file: string): Record<string, unknown> {
  return Object.fromEntries(
    TABLES.map(({ name, only = 'TRUE' }) => [
      name,
      query<object>(file, `SELECT * FROM ${name} WHERE ${only}`)
        .map((row) => Bun.inspect(row))
        .toSorted(),
    ]),
  )
}

const fileSide = (file: string) => openFile(file, `folder of ${file}`)
const sideOf = async (place: string) => (place.startsWith('postgres://') ? openUrl(place) : fileSide(place))

async function moved(from: string, to: string, options: Partial<MoveOptions> = {}) {
  const sides = [await sideOf(from), await sideOf(to)] as const
  try {
    return await move(...sides, { vault: VAULT, id: ID, report() {}, ...options })
  } finally {
    for (const side of sides) await side.close()
  }
}

/** Runs SQL on a PostgreSQL database, without the store. */
async function asked(url: string, sql: string): Promise<unknown[][]> {
  const connection = new SQL(url, { max: 1 })
  try {
    return [...(await connection.unsafe(sql).values())]
  } finally {
    await connection.close()
  }
}

function changed(file: string, sql: string): void {
  const db = new Database(file)
  db.run(sql)
  db.close()
}

test('what is moved is every table and column that a file has', () => {
  const ofMove = TABLES.map(({ name, columns }) => [name, columns.map((column) => column.name).toSorted()])
  // Each database has its own table or domain of channels.
  const { channels: _, settingsVersion: __, nodes: ___, ...moving } = SQLITE.tables
  const ofFile = Object.values(moving).map((table) => [
    getTableName(table),
    Object.values(getTableColumns(table))
      .map(({ name }) => name)
      .toSorted(),
  ])
  expect(Object.fromEntries(ofMove)).toEqual(Object.fromEntries(ofFile))
})

describe('to PostgreSQL and back', () => {
  test('every row of every table arrives as it was', async () => {
    const [file, url, back] = [await furnishedFile(), await emptyUrl(), emptyFile()]
    const before = contentOf(file)
    for (const [name, rows] of Object.entries(before))
      expect([name, (rows as unknown[]).length > 0]).toEqual([name, true])
    const there = await moved(file, url)
    expect(there).toMatchObject({ tables: { issues: 3, jobs: 2 } })
    await moved(url, back, { id: 'back' })
    expect(contentOf(back)).toEqual(before)
    expect(contentOf(file)).toEqual(before)
  })

  test('numbers go on behind the last that was given, so that no old fence opens a new job', async () => {
    const [file, url, back] = [await furnishedFile(), await emptyUrl(), emptyFile()]
    await moved(file, url)
    const next = (table: string, column: string) =>
      asked(url, `SELECT nextval(pg_get_serial_sequence('${table}', '${column}'))::int`)
    expect(await next('jobs', 'job_id')).toMatchObject([[41]])
    expect(await next('webhook_deliveries', 'seq')).toMatchObject([[22]])
    await moved(url, back, { id: 'back' })
    changed(
      back,
      `INSERT INTO jobs (kind, app_id, mode, subject_id, run_at) VALUES ('webhook', 'app_one', 'live', ${uuid(90)}, 1)`,
    )
    expect(query(back, 'SELECT max(job_id) AS id FROM jobs')).toEqual([{ id: 42 }])
  })

  test('nobody has a job of the one that was left', async () => {
    const [file, url, back] = [await furnishedFile(), await emptyUrl(), emptyFile()]
    changed(file, 'UPDATE jobs SET leased = 1, run_at = 9007199254740991 WHERE job_id = 11')
    await moved(file, url)
    const isDue = 'run_at <= clock_ms() AND NOT leased AND leased_by IS NULL'
    expect(await asked(url, `SELECT ${isDue} FROM jobs WHERE job_id = 11`)).toMatchObject([[true]])
    await asked(url, "UPDATE jobs SET leased = true, leased_by = 'node', run_at = 9007199254740991")
    await moved(url, back, { id: 'back' })
    expect(
      query(back, 'SELECT count(*) AS n FROM jobs WHERE NOT leased AND run_at < unixepoch() * 1000 + 60000'),
    ).toEqual([{ n: 2 }])
  })

  test('a NUL that a carrier sent is what PostgreSQL makes of it', async () => {
    const [file, url] = [await furnishedFile(), await emptyUrl()]
    changed(file, "UPDATE attempts SET provider_message_id = 'a' || char(0) || 'b' WHERE number = 1")
    await moved(file, url)
    expect(await asked(url, 'SELECT provider_message_id FROM attempts WHERE number = 1')).toEqual([['a\uFFFDb']])
  })

  test('the store at the other end works on it', async () => {
    const [file, url] = [await furnishedFile(), await emptyUrl()]
    const old = openAt(file)
    const installation = await old.read.installation()
    await old.close()
    await moved(file, url)
    const store = await openPostgres({ url, size: 2, clock: new StillClock(), vault: VAULT })
    expect(await store.read.installation()).toBe(installation)
    await store.transaction((tx) => tx.issues.add(issueNumber(9)))
    await store.close()
  })
})

class Killed extends Error {}

const killedWhenWritten: MoveOptions['report'] = (progress) => {
  if (progress === 'verifying') throw new Killed()
}

async function comeBack(place: string): Promise<void> {
  const side = await sideOf(place)
  await undoMove(side, VAULT)
  await side.close()
}

/** Ends a move at its `n`th report. */
const killedAt = (n: number): MoveOptions['report'] => {
  let reports = 0
  return () => {
    if (++reports === n) throw new Killed()
  }
}

describe('a move that was killed', () => {
  test.each([
    ['to PostgreSQL', furnishedFile, emptyUrl],
    ['to a file', furnishedUrl, async () => emptyFile()],
  ])('%s has left the target empty, wherever it was, and is repeated', async (_, source, target) => {
    const [from, to, back] = [await source(), await target(), emptyFile()]
    const content = from.startsWith('postgres://') ? undefined : contentOf(from)
    for (let at = 1; ; at += 3) {
      const ended = await moved(from, to, { id: `try ${at}`, report: killedAt(at) }).catch((error) => error)
      if (!(ended instanceof Killed)) {
        expect(ended).toMatchObject({ tables: { issues: 3 } })
        break
      }
      expect(await errorOf(opened(from))).toMatchObject({
        name: 'MovedError',
        message: expect.stringContaining('is being moved'),
      })
      const side = await sideOf(to)
      expect([await side.filledTable(), await side.keyRing()]).toEqual([undefined, []])
      await side.close()
    }
    if (content) {
      await moved(to, back, { id: 'back' })
      expect(contentOf(back)).toEqual(content)
    }
  })

  test('before the target is whole can be undone, and both can be worked on', async () => {
    const [file, url] = [await furnishedFile(), await emptyUrl()]
    const content = contentOf(file)
    expect(await errorOf(moved(file, url, { report: killedWhenWritten }))).toBeInstanceOf(Killed)
    await comeBack(file)
    for (const place of [file, url]) await opened(place)
    expect(contentOf(file)).toEqual(content)
  })

  test.each([
    ['PostgreSQL', furnishedFile, emptyUrl],
    ['a file', furnishedUrl, async () => emptyFile()],
  ])('when %s had everything says so, and leaves the source for good', async (_, begin, end) => {
    const [from, to] = [await begin(), await end()]
    const [source, target] = [await sideOf(from), await sideOf(to)]
    source.markMoved = () => Promise.reject(new Killed())
    expect(await errorOf(move(source, target, { vault: VAULT, id: ID, report() {} }))).toBeInstanceOf(Killed)
    for (const side of [source, target]) await side.close()
    await opened(to)
    expect((await errorOf(opened(from))).message).toContain('is being moved')
    expect(await moved(from, to, { id: 'again' })).toBeUndefined()
    expect((await errorOf(opened(from))).message).toContain('has been moved')
  })

  test('when it was done says so, and changes nothing', async () => {
    const [file, url] = [await furnishedFile(), await emptyUrl()]
    await moved(file, url)
    await asked(url, "UPDATE apps SET name = 'renamed since'")
    expect(await moved(file, url, { id: 'again' })).toBeUndefined()
    expect(await asked(url, 'SELECT name FROM apps')).toMatchObject([['renamed since']])
  })
})

/** A number of rows beyond one batch. */
test.each([
  ['to PostgreSQL', furnishedFile, emptyUrl],
  ['to a file', furnishedUrl, async () => emptyFile()],
])('a large table loses no row and doubles none: %s', async (_, begin, end) => {
  const [from, to] = [await begin(), await end()]
  const many = `WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 3599)
    INSERT INTO clock_steps SELECT i, 1 FROM n`
  await (from.startsWith('postgres://') ? asked(from, many) : changed(from, many))
  const reported: number[] = []
  const report: MoveOptions['report'] = (progress) => {
    if (typeof progress === 'object' && progress.table === 'clock_steps') reported.push(progress.rows)
  }
  expect(await moved(from, to, { report })).toMatchObject({ tables: { clock_steps: 3_502 } })
  expect(reported).toEqual([1_000, 2_000, 3_000, 3_502])
})

async function furnishedUrl(): Promise<string> {
  const url = await emptyUrl()
  await moved(await furnishedFile(), url, { id: 'furnishing' })
  return url
}

/** Opens it like a server or a command. */
async function opened(place: string): Promise<void> {
  const clock = new StillClock()
  const isUrl = place.startsWith('postgres://')
  await (isUrl ? await openPostgres({ url: place, size: 1, clock, vault: VAULT }) : openAt(place)).close()
}

describe('refused is', () => {
  test.each([
    ['a target with rows', emptyFile, furnishedUrl, 'is not empty: there are rows in organizations'],
    ['a target that was moved away', furnishedFile, leftUrl, 'is not empty'],
    ['a source that was moved elsewhere', leftUrl, async () => emptyFile(), 'was moved to'],
    ['a source whose ledger does not add up', unsoundFile, emptyUrl, 'In folder of'],
    ['a source that a server runs on', servedUrl, async () => emptyFile(), 'A server runs on'],
    ['a target that a server runs on', furnishedFile, servedEmptyUrl, 'A server runs on'],
  ] as Array<[string, () => Promise<string>, () => Promise<string>, string]>)('%s', async (_, source, target, why) => {
    const [from, to] = [await source(), await target()]
    // An empty file has no keys yet.
    if (!from.startsWith('postgres://')) await openAt(from).close()
    expect((await errorOf(moved(from, to))).message).toContain(why)
  })

  test('another secret than that of the source', async () => {
    const vault = createVault(Buffer.from('quite another secret, as long as it has to be'))
    expect(await errorOf(moved(await furnishedFile(), await emptyUrl(), { vault }))).toMatchObject({
      name: 'WrongSecretError',
    })
  })

  test('a target of another secret', async () => {
    const [file, url] = [await furnishedFile(), await emptyUrl()]
    const vault = createVault(Buffer.from('quite another secret, as long as it has to be'))
    await (await openPostgres({ url, size: 1, clock: new StillClock(), vault })).close()
    expect(await errorOf(moved(file, url))).toMatchObject({ name: 'WrongSecretError' })
  })

  test('a second move of the same PostgreSQL at the same time', async () => {
    const url = await emptyUrl()
    const first = await openUrl(url)
    expect((await errorOf(openUrl(url))).message).toContain('Another move works on')
    await first.close()
    await (await openUrl(url)).close()
  })

  async function leftUrl(): Promise<string> {
    const url = await furnishedUrl()
    await moved(url, emptyFile(), { id: 'left' })
    return url
  }

  async function unsoundFile(): Promise<string> {
    const file = await furnishedFile()
    changed(file, 'UPDATE wallets SET balance = balance + 1')
    return file
  }

  const NODE = "INSERT INTO nodes VALUES ('n', 'node-a', '1', 1, clock_ms() - 20000, false, 0)"

  async function servedUrl(): Promise<string> {
    const url = await furnishedUrl()
    await asked(url, NODE)
    return url
  }

  async function servedEmptyUrl(): Promise<string> {
    const url = await emptyUrl()
    await (await openUrl(url)).close()
    await asked(url, NODE)
    return url
  }
})

test('a server that has not been seen for long keeps nobody from moving', async () => {
  const url = await furnishedUrl()
  await asked(url, "INSERT INTO nodes VALUES ('n', 'node-a', '1', 1, clock_ms() - 31000, false, 0)")
  expect(await moved(url, emptyFile())).toBeDefined()
})

describe('while it moves nobody else writes to the source', () => {
  test('in a file', async () => {
    const [file, url] = [await furnishedFile(), await emptyUrl()]
    const db = new Database(file)
    await moved(file, url, { report: () => expect(() => db.run("UPDATE apps SET name = 'x'")).toThrow('locked') })
    db.close()
  })

  test('in PostgreSQL', async () => {
    const [url, file] = [await furnishedUrl(), emptyFile()]
    // Connected beforehand, so that its statement comes early in the move.
    const somebody = new SQL(`${url}&lock_timeout=1`, { max: 1 })
    await somebody`SELECT 1`
    const outcomes: unknown[] = []
    const report: MoveOptions['report'] = () => {
      if (outcomes.length > 0) return
      outcomes.push(somebody.unsafe("UPDATE apps SET name = 'x'").catch((error) => String(error)))
    }
    await moved(url, file, { report })
    expect(await Promise.all(outcomes)).toEqual([expect.stringContaining('lock timeout')])
    await somebody.close()
  })
})

describe('before it ends it finds', () => {
  const TAMPERED: Array<[string, string, string]> = [
    ['a row that is missing', 'DELETE FROM attempts WHERE number = 2', 'attempts would have 1 rows instead of 2'],
    ['one that is too many', 'INSERT INTO clock_steps VALUES (7, 7)', 'clock_steps would have 3 rows instead of 2'],
    ['a wallet that does not add up', 'UPDATE wallets SET balance = 91', 'the ledger of app_one does not add up'],
  ]

  test.each(TAMPERED)('%s in PostgreSQL', (_, sql, found) => findsIn(furnishedFile, emptyUrl, { sql, found }))

  test.each(TAMPERED)('%s in a file', (_, sql, found) => findsIn(furnishedUrl, async () => emptyFile(), { sql, found }))

  type Place = () => Promise<string>

  /** Expects both databases unchanged and the move undoable. */
  async function findsIn(begin: Place, end: Place, { sql, found }: { sql: string; found: string }): Promise<void> {
    const [from, to] = [await begin(), await end()]
    const [source, target] = [await sideOf(from), await sideOf(to)]
    const insert = target.insert.bind(target)
    // The table of facts is written last.
    target.insert = async (table, rows) => {
      await insert(table, rows)
      if (table.name === 'facts') await target.all(sql)
    }
    expect((await errorOf(move(source, target, { vault: VAULT, id: ID, report() {} }))).message).toContain(found)
    for (const side of [source, target]) await side.close()
    expect((await errorOf(opened(from))).message).toContain('is being moved')
    await comeBack(from)
    await opened(from)
    expect(await moved(from, to)).toMatchObject({ tables: { issues: 3 } })
  }
})

test('a server that starts on the PostgreSQL meanwhile finds it whole', async () => {
  const [file, url] = [await furnishedFile(), await emptyUrl()]
  let starts: Promise<void> | undefined
  const report: MoveOptions['report'] = () => {
    starts ??= opened(url)
  }
  await moved(file, url, { report })
  await starts
  expect(await asked(url, 'SELECT count(*)::int FROM organizations')).toMatchObject([[1]])
  expect(await asked(url, 'SELECT name FROM facts ORDER BY name')).toContainEqual(['moved_from'])
})

describe('what was moved away', () => {
  test('says where it went, without a password, and how to come back', async () => {
    const [file, url] = [await furnishedFile(), await emptyUrl()]
    await moved(file, url.replace('postgres@', 'postgres:hidden@'))
    const refusal = await errorOf(opened(file))
    expect(refusal.name).toBe('MovedError')
    expect(refusal.message).toContain(`has been moved to ${url}: start the server there`)
    expect(refusal.message).toContain(`watchword move --undo --from 'folder of ${file}'`)
    expect(refusal.message).not.toContain('hidden')
  })

  test('is worked on again after the way back, by who has its secret', async () => {
    const [file, url] = [await furnishedFile(), await emptyUrl()]
    await moved(file, url)
    const side = fileSide(file)
    const stranger = createVault(Buffer.from('quite another secret, as long as it has to be'))
    expect(await errorOf(undoMove(side, stranger))).toMatchObject({ name: 'WrongSecretError' })
    await undoMove(side, VAULT)
    expect((await errorOf(undoMove(side, VAULT))).message).toContain('has not been moved anywhere')
    await side.close()
    await opened(file)
  })
})
