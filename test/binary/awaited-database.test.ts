/** A server that starts while its PostgreSQL is away waits for it, and says so. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { CuttingProxy } from '../support/cutting-proxy'
import { freePort } from '../support/free-port'
import { type Database, sharedPostgres } from '../support/postgres'
import { HANGS_AFTER_MS, until } from '../support/until'
import { isBuilt, keep, newFolder, programIn } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const databases: Database[] = []
afterAll(async () => {
  for (const database of databases) await database.drop()
  folder.remove()
})

/** A server at a port of its own, without waiting for its first line. */
async function begun(databaseUrl: string, port = freePort()) {
  const { command, cwd, env } = programIn(folder.path, {
    WATCHWORD_DATABASE_URL: databaseUrl,
    WATCHWORD_SECRET: 'the secret of a server that waits for its database',
    WATCHWORD_LEAVING_MS: '0',
  })
  await isBuilt(command)
  const child = Bun.spawn([...command, 'serve', '--port', String(port)], { cwd, env, stdout: 'pipe', stderr: 'pipe' })
  let stderr = ''
  const written = Promise.all([new Response(child.stdout).text(), keep(child.stderr, (text) => (stderr += text))])
  const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init)
  const answers = () =>
    ask('/healthz').then(
      ({ ok }) => ok,
      () => child.exitCode !== null,
    )
  await until(answers, 'the server to listen')
  return {
    ask,
    says: (message: string) => until(() => stderr.includes(message), `the line "${message}"`),
    /** What it has said on both streams, once it has ended by the signal. */
    async end() {
      child.kill('SIGTERM')
      const exitCode = await child.exited
      const [stdout] = await written
      return {
        exitCode,
        stdout,
        lines: stderr
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line)),
      }
    },
  }
}

test('it lives, is not ready and refuses with Retry-After until its database answers, and then serves', async () => {
  const postgres = await sharedPostgres()
  const database = await postgres.database()
  databases.push(database)
  const url = new URL(database.url)
  url.port = String(freePort())
  const server = await begun(url.href)

  const health = await server.ask('/healthz')
  expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }])
  const ready = await server.ask('/readyz')
  expect([ready.status, await ready.json()]).toEqual([503, { status: 'not_ready' }])
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
  const refused = await server.ask('/v1/issue', post)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await refused.json()).toMatchObject({ defined: true, code: 'SERVICE_UNAVAILABLE', status: 503 })
  expect(await (await server.ask('/v1/rpc/otp/issue', post)).json()).toMatchObject({ json: { status: 503 } })
  expect((await server.ask('/console')).status).toBe(503)

  await server.says('waiting for the database')
  const network = await CuttingProxy.start(postgres.port, Number(url.port))
  await until(async () => (await server.ask('/readyz')).status === 200, 'the server to be ready')
  expect((await server.ask('/v1/issue', post)).status).toBe(401)
  const { exitCode, stdout, lines } = await server.end()
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('"event":"listening"')])
  const name = expect.stringMatching(/^postgres:\/\/postgres@127\.0\.0\.1:\d+\//)
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'waiting for the database', database: name, reason: expect.any(String) }),
  )
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'the database answers', database: name }))
  network.stop()
})

test('it waits for a database that goes away while it starts, however often', async () => {
  const postgres = await sharedPostgres()
  const database = await postgres.database()
  databases.push(database)
  const network = await CuttingProxy.start(postgres.port)
  const url = new URL(database.url)
  url.port = String(network.port)
  let isListening = false
  const beginning = begun(url.href).finally(() => (isListening = true))
  // It listens once it has to wait.
  await until(() => {
    network.cut()
    return isListening
  }, 'the server to be cut off')
  const server = await beginning
  await server.says('waiting for the database')
  await until(async () => (await server.ask('/readyz')).status === 200, 'the server to be ready')
  const { exitCode } = await server.end()
  expect(exitCode).toBe(0)
  network.stop()
})

test('its port stays closed until the first connection stands, so that no proxy sends it requests', async () => {
  const postgres = await sharedPostgres()
  const database = await postgres.database()
  databases.push(database)
  const network = await CuttingProxy.start(postgres.port)
  const url = new URL(database.url)
  url.port = String(network.port)
  network.stall('answers')
  const port = freePort()
  const beginning = begun(url.href, port)
  await until(() => network.links > 0, 'the server to connect')
  const refused = await fetch(`http://127.0.0.1:${port}/healthz`).catch(
    (error: Error & { code?: string }) => error.code,
  )
  expect(refused).toBe('ECONNREFUSED')
  network.flow()
  const server = await beginning
  expect((await server.ask('/readyz')).status).toBe(200)
  await server.end()
  network.stop()
})

test('it ends when it is told to, and says nothing of the password', async () => {
  const server = await begun(`postgres://ann:hidden-word@127.0.0.1:${freePort()}/there`)
  await server.says('waiting for the database')
  const { exitCode, stdout, lines } = await server.end()
  expect([exitCode, stdout]).toEqual([0, ''])
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'waiting for the database' }))
  expect(JSON.stringify(lines)).not.toContain('hidden-word')
})
