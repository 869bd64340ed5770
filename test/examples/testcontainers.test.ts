/** The module for Testcontainers, where the server itself stands in for the container: no containers run here. */
import { afterAll, expect, mock, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Subprocess, spawn } from 'bun'
import { isBuilt, newFolder, programIn, ROOT } from '../binary/support'
import { HANGS_AFTER_MS, until } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const program = programIn(folder.path)
const said = join(folder.path, 'said')
let server: Subprocess | undefined
afterAll(() => {
  server?.kill()
  folder.remove()
})

/** What the module asks of Testcontainers, played by a process. It gets a port of its own in the place of a mapped one. */
class GenericContainer {
  #command: string[] = []
  exposed = 0
  constructor(readonly image: string) {}
  withCommand(command: string[]): this {
    this.#command = command
    return this
  }
  withExposedPorts(port: number): this {
    this.exposed = port
    return this
  }
  withWaitStrategy(): this {
    return this
  }
  async start() {
    await isBuilt(program.command)
    const command = [
      ...program.command,
      ...this.#command.map((word) => word.replace('0.0.0.0', '127.0.0.1')),
      '--port',
      '0',
    ]
    server = spawn(command, { cwd: program.cwd, stdin: 'ignore', stdout: Bun.file(said), stderr: 'ignore' })
    const text = () => readFileSync(said, 'utf8')
    await until(() => text().includes('Public key'), 'the keys')
    const port = Number(/API +http:\/\/[\d.]+:(\d+)/.exec(text())?.[1])
    return {
      logs: async () => [text()],
      getHost: () => '127.0.0.1',
      getMappedPort: (exposed: number) => (exposed === this.exposed ? port : 0),
    }
  }
}

test('a container is started by its image, and has an address and keys that work', async () => {
  mock.module('testcontainers', () => ({ GenericContainer, Wait: { forLogMessage: () => undefined } }))
  const { WatchwordContainer } = await import(join(ROOT, 'examples/testcontainers/watchword-container.mjs'))
  const container = new WatchwordContainer('watchword:test')
  expect(container.image).toBe('watchword:test')
  const { url, secretKey, publicKey } = await container.start()
  expect([secretKey, publicKey]).toEqual([expect.stringMatching(/^sk_test_/), expect.stringMatching(/^pk_test_/)])
  const issued = await fetch(`${url}/v1/issue`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secretKey}`,
      'content-type': 'application/json',
      'idempotency-key': 'first',
    },
    body: JSON.stringify({ phoneNumber: '010-0000-0000', purpose: 'signup' }),
  })
  expect(issued.status).toBe(200)
})
