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
