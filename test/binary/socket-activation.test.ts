/** A server that is handed its listening socket: what comes while it is replaced waits in the socket, and nothing is lost. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
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

test('it listens there, and what comes between two servers is answered by the second', async () => {
  const first = socket.start(program)
  expect(JSON.parse(await first.listens())).toMatchObject({ url: `http://127.0.0.1:${socket.port}` })
  const { appId } = await runJson(program, 'app', 'create', 'shop')
  const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test')
  let issues = 0
  const issue = () =>
    fetch(`http://127.0.0.1:${socket.port}/v1/issue`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        'idempotency-key': `between-${issues++}`,
      },
      body: JSON.stringify({ phoneNumber: '010-0000-0000', purpose: 'signup' }),
      // Connections that were kept have ended with the first server.
      keepalive: false,
    })
  expect((await issue()).status).toBe(200)
  expect(await first.stop()).toBe(0)

  const between = Array.from({ length: 20 }, issue)
  const second = socket.start(program)
  const statuses = (await Promise.all(between)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(await second.stop()).toBe(0)
})

test('a port that is set to another than the socket has is refused, and not ignored', async () => {
  const { exitCode, stderr } = await socket.start({ ...program, env: { ...program.env, WATCHWORD_PORT: '1' } }).failed()
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`listens on port ${socket.port}, and WATCHWORD_PORT`)])
})
