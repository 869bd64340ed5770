/** The command from outside, with the waiting of all scenarios. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
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

/** Compose's program, which asks this process to kill and start the server. */
const DOCKER = '#!/bin/sh\nshift 3\nexec curl -sf --get --data-urlencode "words=$*" "$DOCKER_STUB"\n'

test('a server that is killed meanwhile keeps its answers', async () => {
  const { port } = new URL(server.url)
  const asked: string[] = []
  const stub = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch({ url }) {
      const words = new URL(url).searchParams.get('words') ?? ''
      asked.push(words)
      if (words === 'kill --signal SIGKILL server') await server.stop('SIGKILL')
      if (words === 'start server') server = await Server.start(program, '--port', port)
      return new Response(words === 'ps --services' ? 'server\n' : '')
    },
  })
  const bin = join(folder.path, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'docker'), DOCKER, { mode: 0o755 })
  const { appId } = await runJson(program, 'app', 'create', 'killed')
  const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test')
  const env = { ...program.env, PATH: `${bin}:${process.env.PATH}`, DOCKER_STUB: stub.url.href }
  const words = ['--faults', '5', '--compose', 'compose.yml', '--seed', '7']
  const { exitCode, stdout } = await run(
    { ...program, env },
    'conformance',
    '--url',
    `${server.url}/v1`,
    '--key',
    key,
    ...words,
  )
  await stub.stop(true)
  expect(stdout).toContain('\n# seed 7\n# kill 1 of 5: server\n')
  expect(stdout.split('\n').filter((line) => line.startsWith('not ok'))).toEqual([])
  expect(stdout.match(/^ok \d+ - Under faults: /gm)).toHaveLength(4)
  expect(asked.filter((words) => words === 'start server')).toHaveLength(5)
  expect(exitCode).toBe(0)
})

test('a live key is refused before anything is asked', async () => {
  const { exitCode, stderr } = await run(program, 'conformance', '--url', server.url, '--key', 'sk_live_x')
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('--key must be a test key')])
})
