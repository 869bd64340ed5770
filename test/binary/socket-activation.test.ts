/** A server that is handed its listening socket: what comes while it is replaced waits in the socket, and nothing is lost. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { fill } from '../../bench/fill'
import { holdSocket } from '../support/held-socket'
import { HANGS_AFTER_MS } from '../support/until'
import { newFolder, programIn, runJson } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const socket = await holdSocket()
const program = programIn(folder.path, { WATCHWORD_LEAVING_MS: '0', WATCHWORD_PORT: String(socket.port) })
afterAll(() => {
  socket.close()
  folder.remove()
})

/** Creates an app with a key and answers how a code is issued by it. */
async function newApp(mode: 'test' | 'live') {
  const { appId } = await runJson(program, 'app', 'create', `shop-${mode}`)
  const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', mode)
  let issues = 0
  const issue = async () => {
    const { status } = await fetch(`http://127.0.0.1:${socket.port}/v1/issue`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        'idempotency-key': `between-${issues++}`,
      },
      body: JSON.stringify({ phoneNumber: mode === 'test' ? '010-0000-0000' : '010-1234-5678', purpose: 'signup' }),
      // Connections that were kept have ended with the first server.
      keepalive: false,
    })
    return status
  }
  return { appId, issue }
}

test('it listens there, and what comes between two servers is answered by the second', async () => {
  const first = socket.start(program)
  expect(JSON.parse(await first.listens())).toMatchObject({ url: `http://127.0.0.1:${socket.port}` })
  const { issue } = await newApp('test')
  expect(await issue()).toBe(200)
  expect(await first.stop()).toBe(0)

  const between = Array.from({ length: 20 }, issue)
  const second = socket.start(program)
  expect(new Set(await Promise.all(between))).toEqual(new Set([200]))
  expect(await second.stop()).toBe(0)
})

test('a code that comes between two servers waits until the second has read the last day, and is not refused', async () => {
  const { appId, issue } = await newApp('live')
  await runJson(program, 'provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', 'http://127.0.0.1:9')
  // Takes longer to read than a request may wait for it.
  fill({ file: join(folder.path, 'watchword-data/watchword.db'), appId, issues: 10_000, days: 1, until: Date.now() })
  const between = issue()
  const server = socket.start(program)
  expect(await between).toBe(200)
  expect(await server.stop()).toBe(0)
})

test('a port that is set to another than the socket has is refused, and not ignored', async () => {
  const { exitCode, stderr } = await socket.start({ ...program, env: { ...program.env, WATCHWORD_PORT: '1' } }).failed()
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`listens on port ${socket.port}, and WATCHWORD_PORT`)])
})
