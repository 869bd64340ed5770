/** The command from outside, with the waiting of all scenarios. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { newFolder, type Program, programIn, run, runJson, Server } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
let program: Program
let server: Server
beforeAll(async () => {
  program = programIn(folder.path)
  server = await Server.start(program)
})
afterAll(async () => {
  await server?.stop()
  folder.remove()
})

test('a server keeps every rule, over both wires', async () => {
  const app = async (name: string) => (await runJson(program, 'app', 'create', name)).appId
  const key = async (appId: string, kind: string) =>
    (await runJson(program, 'key', 'create', '--app', appId, '--kind', kind, '--mode', 'test')).key
  const [shop, other] = [await app('shop'), await app('other')]
  const keys = ['--public-key', await key(shop, 'pk'), '--other-key', await key(other, 'sk')]
  for (const wire of ['rest', 'rpc']) {
    const report = join(folder.path, `${wire}.xml`)
    const words = ['--url', `${server.url}/v1`, '--key', await key(shop, 'sk'), '--wire', wire, '--junit', report]
    const { exitCode, stdout } = await run(program, 'conformance', ...words, ...keys)
    expect(stdout.split('\n').filter((line) => !/^(ok \d+ - |TAP |1\.\.|$)/.test(line))).toEqual([])
    expect(stdout).not.toContain('# SKIP')
    expect(exitCode).toBe(0)
    expect(await Bun.file(report).text()).toContain('failures="0" skipped="0"')
  }
})

test('a live key is refused before anything is asked', async () => {
  const { exitCode, stderr } = await run(program, 'conformance', '--url', server.url, '--key', 'sk_live_x')
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('--key must be a test key')])
})
