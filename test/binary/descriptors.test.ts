/** The binary with few file descriptors, and clients that hold more connections than it can have. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { asking, sendRaw } from '../support/raw'
import { HANGS_AFTER_MS, until } from '../support/until'
import { Receiver, says } from '../system/receiver'
import { released } from './compiled'
import { newFolder, type Program, runJson, Server } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const LIMIT = 64
const MORE_THAN_THERE_ARE = 100

/** A limit of the shell's, for what it becomes. */
const withFew = ({ command, ...rest }: Program): Program => ({
  ...rest,
  command: ['/bin/sh', '-c', `ulimit -n ${LIMIT}; exec "$@"`, 'sh', ...command],
})

const SETTINGS = { WATCHWORD_WEBHOOK_ALLOW_HTTP: 'true', WATCHWORD_WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' }
/** By a receiver that would keep a connection open for longer than this takes. */
const TAKEN = 'HTTP/1.1 204 No Content\r\nKeep-Alive: timeout=60\r\n\r\n'

const folder = newFolder()
let server: Server
let receiver: Receiver
let key = ''

beforeAll(async () => {
  const program = await released(folder.path, SETTINGS)
  const { appId } = await runJson(program, 'app', 'create', 'shop')
  ;({ key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test'))
  receiver = await Receiver.start(says(TAKEN))
  const url = `http://127.0.0.1:${receiver.port}/`
  await runJson(program, 'webhook', 'add', '--app', appId, '--mode', 'test', '--url', url, '--events', 'otp.sent')
  server = await Server.start(withFew(program))
})
afterAll(async () => {
  await server?.stop('SIGKILL')
  Receiver.stopAll()
  folder.remove()
})

interface Held {
  socket: Socket
  heard: string
}

/** Connections that stay open on the client's side, whatever comes back, after each has written its text. */
async function hold(count: number, text: string): Promise<Held[]> {
  const { hostname, port } = new URL(server.url)
  return Promise.all(
    Array.from({ length: count }, () => {
      const held: Held = { socket: createConnection(Number(port), hostname), heard: '' }
      held.socket.on('data', (chunk) => {
        held.heard += chunk.toString('latin1')
      })
      held.socket.on('error', () => {})
      return new Promise<Held>((resolve) =>
        held.socket.on('connect', () => {
          held.socket.write(text)
          resolve(held)
        }),
      )
    }),
  )
}

const letGo = (held: Held[]) => {
  for (const { socket } of held) socket.destroy()
}
const taken = () => readdirSync(`/proc/${server.child.pid}/fd`).length
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
const ask = (path: string) => sendRaw(server.url, asking(path))

/** The beginning of a request that is known by its key, and whose end never comes. */
const unfinished = () =>
  [
    'POST /v1/issue HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Content-Length: 100',
    '',
    '{',
  ].join('\r\n')

function expectShortage(answer: string): void {
  expect(answer).toMatch(/^HTTP\/1\.1 503 /)
  expect(answer).toMatch(/^retry-after: 1\r$/im)
  expect(answer).toMatch(/^connection: close\r$/im)
  expect(answer).toMatch(/^x-request-id: \S+\r$/im)
  expect(answer).toContain('"code":"SERVICE_UNAVAILABLE"')
}

describe.if(process.platform === 'linux')('a shortage of file descriptors', () => {
  test('that clients make who keep idle connections ends at once: those are closed, and whoever asks is answered', async () => {
    const held = await hold(MORE_THAN_THERE_ARE, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await until(() => held.every(({ heard }) => heard !== ''), 'every one to be answered')
    expect(held.map(({ heard }) => statusOf(heard))).toEqual(held.map(() => 200))
    await until(() => taken() < LIMIT * 0.75, 'room again')
    expect(statusOf(await ask('/readyz'))).toBe(200)
    letGo(held)
  })

  test('ends the connections that are kept to receivers, too', async () => {
    expect((await server.issue(key, '+821000000000')).status).toBe(200)
    await until(() => receiver.requests.length > 0, 'the receiver to be told')
    expect(receiver.open).toBeGreaterThan(0)
    const held = await hold(MORE_THAN_THERE_ARE, unfinished())
    await until(() => receiver.open === 0, 'its connection to be closed')
    letGo(held)
    await until(async () => statusOf(await ask('/readyz')) === 200, 'the server to be ready again')
  })

  test('is answered with 503 in the envelope, with Retry-After, and never with silence', async () => {
    const held = await hold(MORE_THAN_THERE_ARE, unfinished())
    const refused = () => held.map(({ heard }) => heard).filter(Boolean)
    await until(() => refused().length > MORE_THAN_THERE_ARE / 2, 'more than half to be refused')
    for (const answer of refused()) expectShortage(answer)
    const paths = ['/readyz', '/v1/balance', '/v1/rpc/otp/balance', '/console', '/docs', '/healthz', '/nowhere']
    for (const answer of await Promise.all(paths.map(ask))) {
      if (statusOf(answer) === 503) expectShortage(answer)
      else expect([200, 401, 404]).toContain(statusOf(answer))
    }
    letGo(held)
  })

  test('leaves some for carriers, and is told in the log a few times, with what helps', async () => {
    const held = await hold(MORE_THAN_THERE_ARE, unfinished())
    // Connections are taken in the order in which they come: by then all of those have been.
    await ask('/readyz')
    await until(() => taken() < LIMIT - 5, 'some to be left')
    letGo(held)
    await until(async () => statusOf(await ask('/readyz')) === 200, 'the server to be ready again')
    const lines = server.stderr.split('\n').filter((line) => line.includes('file descriptors'))
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.length).toBeLessThanOrEqual(11)
    expect(lines[0]).toContain('LimitNOFILE')
  })
})
