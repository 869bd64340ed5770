/** The binary at the limits of its machine: what it may have of descriptors and room, and what becomes of its codes. */
import { afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { HANGS_AFTER_MS, until } from '../support/until'
import { compile } from './compiled'
import { newFolder, type Program, run, runJson, Server, StubCarrier } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

let binary = ''
beforeAll(async () => {
  binary = await compile()
})

/** A shell sets the limit for what it becomes. A write beyond that of a file is an error then, and no signal. */
const limited = ({ command, ...rest }: Program, limit: string): Program => ({
  ...rest,
  command: ['/bin/sh', '-c', `trap "" XFSZ; ${limit}; exec "$@"`, 'sh', ...command],
})

let undo: Array<() => unknown> = []
afterEach(async () => {
  for (const step of undo.reverse()) await step()
  undo = []
})

const numberOf = (n: number) => `+8210${30_000_000 + n}`

/** An installation with a carrier, and how it is started under a limit. */
async function furnished() {
  const { path, remove } = newFolder()
  undo.push(remove)
  const program: Program = { command: [binary], cwd: path }
  const carrier = new StubCarrier()
  undo.push(() => carrier.stop())
  const { appId } = await runJson(program, 'app', 'create', 'shop')
  const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live')
  await runJson(program, 'credit', 'add', '--app', appId, '--amount', '1000')
  const setCarrier = (concurrency: number) => {
    const target = ['--type', 'http', '--channel', 'sms', '--url', carrier.url]
    return runJson(program, 'provider', 'set', 'main', ...target, '--concurrency', String(concurrency))
  }
  await setCarrier(1)
  const start = async (limit: string) => {
    const server = await Server.start(limited(program, limit))
    undo.push(() => server.stop('SIGKILL'))
    return server
  }
  return { program, carrier, key, setCarrier, start }
}

describe.if(process.platform === 'linux')('with fewer descriptors than messages may be in the air', () => {
  const MESSAGES = 120

  test('a carrier gets fewer at a time, is not taken for a dead one, and each message goes out once', async () => {
    const { program, carrier, key, setCarrier, start } = await furnished()
    const server = await start('ulimit -n 64')
    const said = (what: string) => server.stderr.includes(what)
    const holds = Promise.withResolvers<void>()
    carrier.answer = async ({ messageId }) => {
      await holds.promise
      return Response.json({ id: messageId })
    }
    for (let n = 0; n < MESSAGES; n++) expect((await server.issue(key, numberOf(n))).status).toBe(200)
    await setCarrier(128)
    await until(() => said('NOT_SENT_EMFILE') || said('rests'), 'the descriptors to be used up')
    holds.resolve()
    await until(() => new Set(carrier.received.map(({ to }) => to)).size === MESSAGES, 'every message to go out')
    expect(carrier.received).toHaveLength(MESSAGES)
    expect(server.stderr).not.toContain('unhealthy')
    const { checks } = JSON.parse((await run(program, 'doctor', '--json')).stdout)
    expect(checks).toContainEqual({
      ...{ check: 'machine', state: 'problem', advice: expect.stringContaining('LimitNOFILE') },
      message: `The server (process ${server.child.pid}) may have 64 file descriptors; carriers, webhooks and database may take 384 of them.`,
    })
  })
})

const hasPrlimit = spawnSync('prlimit', ['--pid', String(process.pid), '--fsize'], { stdio: 'ignore' }).status === 0

describe('with no room on the disk', () => {
  test.if(hasPrlimit)(
    'a server that is told to stop ends with 0, and what was answered is there afterwards',
    async () => {
      const { key, start } = await furnished()
      const server = await start('true')
      const { body, status } = await server.issue(key, numberOf(1))
      expect(status).toBe(200)
      await until(
        async () => (await server.status(key, body.issueId)).deliveryStatus === 'sent',
        'the message to go out',
      )
      spawnSync('prlimit', ['--pid', String(server.child.pid), '--fsize=4096:'])
      expect((await server.issue(key, numberOf(2))).status).toBe(503)
      expect(await server.stop()).toBe(0)
      const next = await start('true')
      expect(await next.status(key, body.issueId)).toMatchObject({ deliveryStatus: 'sent' })
    },
  )

  test('a backup that finds none leaves nothing behind', async () => {
    const { program } = await furnished()
    const { exitCode } = await run(limited(program, 'ulimit -f 128'), 'backup')
    expect(exitCode).toBe(1)
    // A note that it failed takes no room.
    expect(readdirSync(join(program.cwd, 'watchword-data/backups'))).toEqual([])
    expect(existsSync(join(program.cwd, 'watchword-data/backup-failed'))).toBe(true)
  })

  test.if(existsSync('/dev/full'))('for the log, codes go out all the same', async () => {
    const { carrier, key, start } = await furnished()
    const server = await start('exec 2>/dev/full')
    for (let n = 0; n < 20; n++) expect((await server.issue(key, numberOf(n))).status).toBe(200)
    await until(() => carrier.received.length === 20, 'every message to go out')
    expect(await server.stop()).toBe(0)
  })
})

describe.if(process.platform === 'linux')('with a log that nobody reads', () => {
  /** Their lines are some times what a pipe holds. */
  const LOOKS = 1_000

  test('a server answers on, sends what it answered, and ends with 0', async () => {
    const { carrier, key, start } = await furnished()
    // Open at both ends, so that it is never broken.
    const server = await start('mkfifo log; exec 2<>log; export WATCHWORD_LOG_LEVEL=debug')
    for (let n = 0; n < LOOKS; n++) expect((await server.call('GET', '/healthz')).status).toBe(200)
    for (let n = 0; n < 20; n++) expect((await server.issue(key, numberOf(n))).status).toBe(200)
    await until(() => carrier.received.length === 20, 'every message to go out')
    expect(await server.stop()).toBe(0)
  })
})
