/**
 * What Bun's HTTP server does with requests that are written behind one another without waiting. No usual client does;
 * docs/operating.md says what happens. When a test here fails after an upgrade of Bun, it behaves otherwise: say so there.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { asking, sendRaw } from '../support/raw'
import { HANGS_AFTER_MS, until } from '../support/until'
import { newFolder, programIn, runJson, Server } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const program = programIn(folder.path)
let server: Server
let key: string

beforeAll(async () => {
  const { appId } = await runJson(program, 'app', 'create', 'Shop')
  key = (await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test')).key
  server = await Server.start(program)
})
afterAll(async () => {
  await server?.stop('SIGKILL')
  folder.remove()
})

const issueRequest = (idempotencyKey: string) => {
  const body = JSON.stringify({ phoneNumber: '010-0000-0000', purpose: idempotencyKey, idempotencyKey })
  const head = [
    'POST /v1/issue HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
const issuedPurposes = async () => {
  const answer = await fetch(`${server.url}/v1/issues`, { headers: { authorization: `Bearer ${key}` } })
  return ((await answer.json()) as { items: { purpose: string }[] }).items.map(({ purpose }) => purpose)
}
const statuses = (answer: string) => Array.from(answer.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => Number(status))

test('a POST in one packet with another request behind it is done once, and the connection closes unanswered', async () => {
  expect(statuses(await sendRaw(server.url, issueRequest('behind-one') + asking('/healthz')))).toEqual([])
  // The connection may be closed before the work is done.
  await until(async () => (await issuedPurposes()).length > 0, 'the issue behind the closed connection')
  expect(await issuedPurposes()).toEqual(['behind-one'])
})

test('GETs in one packet are answered in their order', async () => {
  const first = asking('/healthz').replace('Connection: close\r\n', '')
  expect(statuses(await sendRaw(server.url, first + asking('/nowhere')))).toEqual([200, 404])
})

test('a POST behind a GET that is answered at once is answered, too', async () => {
  const first = asking('/healthz').replace('Connection: close\r\n', '')
  const last = issueRequest('behind-a-get').replace('Host: localhost', 'Host: localhost\r\nConnection: close')
  expect(statuses(await sendRaw(server.url, first + last))).toEqual([200, 200])
})

test('a flood of GETs in one packet is cut: some are answered, one is refused with 429, and the connection closes', async () => {
  const one = asking('/healthz').replace('Connection: close\r\n', '')
  const said = statuses(await sendRaw(server.url, one.repeat(20_000)))
  expect(said.length).toBeLessThan(1_000)
  // The end may be lost, since the connection closes over what was not read.
  expect(said.filter((status) => status !== 200 && status !== 429)).toEqual([])
})

test('a request with two Host headers is 400, over both ways of the interface', async () => {
  const twice = (path: string) => asking(path).replace('Host: localhost', 'Host: localhost\r\nHost: elsewhere')
  const bodyOf = (answer: string) => JSON.parse(answer.split('\r\n\r\n')[1] ?? '')
  for (const path of ['/healthz', '/v1/balance', '/v1/rpc/otp/balance', '/console']) {
    const answer = await sendRaw(server.url, twice(path))
    expect([path, statuses(answer)]).toEqual([path, [400]])
    const body = bodyOf(answer)
    expect(path.includes('rpc') ? body.json : body).toMatchObject({ defined: true, code: 'BAD_REQUEST', status: 400 })
  }
})
