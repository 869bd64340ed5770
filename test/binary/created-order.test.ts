/** Ids and `createdAt` are of one instant, also where many ask at once of a server over PostgreSQL. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { sharedPostgres } from '../support/postgres'
import { HANGS_AFTER_MS } from '../support/until'
import { type Json, newFolder, programIn, runJson, Server } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const CALLERS = 12
const EACH = 8

const ends: Array<() => unknown> = []
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

test('an issue of many made at once is found by when it was created, and pages are in that order', async () => {
  const folder = newFolder()
  const database = await (await sharedPostgres()).database()
  ends.push(folder.remove, () => database.drop())
  const program = programIn(folder.path, {
    ...{ WATCHWORD_DATABASE_URL: database.url, WATCHWORD_SECRET: 'the secret of a server that many ask at once' },
  })
  const server = await Server.start(program)
  ends.push(() => server.stop('SIGKILL'))
  const { appId } = await runJson(program, 'app', 'create', 'shop')
  const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test')
  /** A server that has no time for a list on a busy machine says 503, and is asked again. */
  const ask = async (path: string, init: RequestInit = {}): Promise<Json> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    for (;;) {
      const response = await fetch(`${server.url}/v1${path}`, { ...init, headers })
      if (response.status !== 503 || init.method) return response.json()
    }
  }
  let issued = 0
  const issueEach = async (caller: number) => {
    for (let n = 0; n < EACH; n++) {
      const phoneNumber = `010-0000-${String(caller * EACH + n).padStart(4, '0')}`
      const body = JSON.stringify({ phoneNumber, purpose: 'p', idempotencyKey: phoneNumber })
      if ((await ask('/issue', { method: 'POST', body })).issueId) issued++
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => issueEach(caller)))

  const { items } = await ask('/issues?limit=100')
  // Some numbers of tests are refused, and some requests on a busy machine.
  expect(issued).toBeGreaterThan((CALLERS * EACH) / 2)
  expect(items.length).toBe(issued)
  const times = items.map(({ createdAt }: Json) => createdAt)
  expect(times).toEqual(times.toSorted().reverse())
  for (const { issueId, createdAt } of items) {
    const createdTo = new Date(Date.parse(createdAt) + 1).toISOString()
    const found = await ask(`/issues?limit=100&createdTo=${createdTo}`)
    expect(found.items?.map((one: Json) => one.issueId) ?? found).toContain(issueId)
  }
})
