/** What scripts and people rely on of the program as a process: exit codes, where errors go, what is asked first. */
import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HANGS_AFTER_MS } from '../support/until'
import { type Ended, newFolder, programIn, run, runJson, Server } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const program = programIn(folder.path)
const data = join(folder.path, 'watchword-data')
let appId = ''
beforeAll(async () => {
  appId = (await runJson(program, 'app', 'create', 'shop')).appId
})
afterAll(folder.remove)

const undo: Array<() => unknown> = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

describe('how it ends', () => {
  test.each([
    ['an unknown command', ['srve'], 2, 'usage'],
    ['an unknown option', ['app', 'list', '--all'], 2, 'usage'],
    ['an argument that is missing', ['app', 'create'], 2, 'usage'],
    ['an option that is missing', ['key', 'list'], 2, 'usage'],
    ['a value the option refuses', ['credit', 'add', '--app', 'x', '--amount', 'ten'], 2, 'usage'],
    ['what there is not', ['key', 'list', '--app', 'app_none'], 1, 'not_found'],
    ['what is refused', ['app', 'create', ' '], 1, 'invalid'],
    ['a file there is not', ['restore', 'none.db'], 1, 'not_found'],
  ] as Array<[string, string[], number, string]>)(
    'told of %s it exits with its code, for scripts with one JSON object on stderr',
    async (_, args, exitCode, code) => {
      const forScripts = await run(program, ...args, '--json')
      expect(forScripts).toMatchObject({ exitCode, stdout: '' })
      expect(JSON.parse(forScripts.stderr)).toEqual({ error: { code, message: expect.stringMatching(/\S/) } })
      const forPeople = await run(program, ...args)
      expect(forPeople).toMatchObject({ exitCode, stdout: '' })
      expect(forPeople.stderr).not.toMatch(/^[{]|^\s+at /m)
      expect(forPeople.stderr).toContain(JSON.parse(forScripts.stderr).error.message)
    },
  )

  test('told of a command that is missing, or a flag that is no setting, it exits with 2', async () => {
    const missing = await run(program, 'app')
    expect(missing).toMatchObject({ exitCode: 2, stdout: '' })
    expect(missing.stderr).toMatch(/Usage: watchword app[\s\S]*\na command is missing\n$/)
    const wrong = await run(program, 'serve', '--port', 'http')
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('PORT') })
  })

  test.each(['--help', '--version'])('shown %s it exits with 0, and has nothing to say on stderr', async (flag) => {
    expect(await run(program, flag)).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/./), stderr: '' })
  })

  test('a wrong setting, a wrong secret and a newer database have codes of their own', async () => {
    const codeOf = async (env: Record<string, string>, at = program) => {
      const { exitCode, stderr } = await run({ ...at, env }, 'app', 'list', '--json')
      return [exitCode, JSON.parse(stderr).error.code]
    }
    expect(await codeOf({ WATCHWORD_PORT: 'http' })).toEqual([1, 'config'])
    expect(await codeOf({ WATCHWORD_SECRET: 'not the secret of this database' })).toEqual([1, 'config'])
    expect(await codeOf({ WATCHWORD_SECRET: 'not the secret of this database at all' })).toEqual([1, 'wrong_secret'])
    const other = newFolder()
    undo.push(other.remove)
    const there = programIn(other.path)
    await runJson(there, 'app', 'create', 'shop')
    const database = new Database(join(other.path, 'watchword-data/watchword.db'))
    database.run('PRAGMA user_version = 99')
    database.close()
    expect(await codeOf({}, there)).toEqual([1, 'newer_database'])
  })

  test('a port that is taken is told in one line, with how to choose another', async () => {
    const server = await Server.start(program)
    undo.push(() => server.stop())
    const other = newFolder()
    undo.push(other.remove)
    const { port } = new URL(server.url)
    for (const name of ['serve', 'quickstart']) {
      const { exitCode, stderr } = await run(
        programIn(other.path, { WATCHWORD_LOG_LEVEL: 'error' }),
        name,
        '--port',
        port,
      )
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: expect.stringMatching(new RegExp(`Port ${port} is in use; choose another: --port \\d+("})?\n$`)),
      })
      // A server is read by what reads its log.
      if (name === 'serve')
        expect(JSON.parse(stderr)).toMatchObject({ level: 'error', err: 'Failure', code: 'port_in_use' })
    }
  })
})

describe('lists', () => {
  test('that are empty say what is missing and what makes one', async () => {
    const other = newFolder()
    undo.push(other.remove)
    const there = programIn(other.path, { WATCHWORD_LOG_LEVEL: 'error' })
    await (await Server.start(there)).stop()
    for (const args of [['app', 'list'], ['provider', 'list'], ['route', 'list'], ['operator', 'list'], ['queue']]) {
      const { exitCode, stdout } = await run(there, ...args)
      expect({ args, exitCode, stdout }).toEqual({
        args,
        exitCode: 0,
        stdout: expect.stringMatching(/^(No|Nothing) .+\n$/),
      })
    }
  })

  test('have headers and no colour where nobody looks', async () => {
    const { stdout } = await run(program, 'app', 'list')
    expect(stdout).toMatch(/^APP +NAME +REGION +BALANCE +RESERVED\napp_\w+ +shop +0 +0\n$/)
  })

  test('of issues show no personal data, and only what was asked for', async () => {
    const server = await Server.start(program)
    undo.push(() => server.stop())
    const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test')
    const ids: string[] = []
    for (const last of ['00', '01', '02']) ids.push((await server.issue(key, `010-0000-00${last}`)).body.issueId)
    await server.verify(key, ids[0] ?? '', '000000')
    const list = (...args: string[]) => runJson(program, 'issue', 'list', '--app', appId, '--mode', 'test', ...args)
    const { issues } = await list()
    expect(issues.map(({ issueId }: { issueId: string }) => issueId)).toEqual(ids.toReversed())
    expect(JSON.stringify(issues)).not.toMatch(/phone|codeHash|0000-?000/i)
    expect((await list('--status', 'verified')).issues).toMatchObject([
      { issueId: ids[0], verificationStatus: 'verified' },
    ])
    expect(await list('--limit', '2')).toMatchObject({
      isAll: false,
      issues: [{ issueId: ids[2] }, { issueId: ids[1] }],
    })
    expect((await list('--since', '2999-01-01')).issues).toEqual([])
    expect((await runJson(program, 'issue', 'list', '--app', appId)).issues).toEqual([])
    expect((await run(program, 'issue', 'list', '--app', appId, '--mode', 'test')).stdout).toMatch(
      /^AT +ISSUE +PURPOSE/,
    )
  })
})

describe('what cannot be undone', () => {
  test.each([
    ['app', () => ['app', 'remove', appId], async () => (await runJson(program, 'app', 'list')).apps],
    ['template', () => ['template', 'remove', 'own', '--app', appId], () => listOf('template', '--app', appId)],
    ['webhook', () => ['webhook', 'remove', webhookId], () => listOf('webhook', '--app', appId)],
    ['provider', () => ['provider', 'remove', 'main'], () => listOf('provider')],
    ['route', () => ['route', 'remove', 'sms'], () => listOf('route')],
  ] as Array<[string, () => string[], () => Promise<unknown[]>]>)(
    '%s remove: without a terminal it needs --yes, and names what would go',
    async (_, command, list) => {
      await furnish()
      const before = await list()
      expect(before).toHaveLength(1)
      const { exitCode, stdout, stderr } = await run(program, ...command())
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
      expect(stderr).toMatch(/^Remove .+\? .*--yes\n$/)
      expect(await list()).toEqual(before)
    },
  )

  test('a terminal is asked, and only yes is yes', async () => {
    await furnish()
    expect(await onTerminal('n', 'provider', 'remove', 'main')).toMatchObject({ exitCode: 1 })
    expect(await onTerminal('', 'provider', 'remove', 'main')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/Remove the carrier main \(http, sms\)\?.* \[y\/N\][\s\S]*Nothing was changed\./),
    })
    expect(await listOf('provider')).toHaveLength(1)
    expect(await onTerminal('y', 'provider', 'remove', 'main')).toMatchObject({ exitCode: 0 })
    expect(await listOf('provider')).toEqual([])
  })

  let webhookId = ''

  async function furnish(): Promise<void> {
    await runJson(
      program,
      'provider',
      'set',
      'main',
      '--type',
      'http',
      '--channel',
      'sms',
      '--url',
      'https://a.example/',
    )
    await runJson(program, 'route', 'set', 'sms', 'main')
    await runJson(program, 'template', 'set', 'own', '--app', appId, '--body', '#{code}')
    const [known] = (await listOf('webhook', '--app', appId)) as Array<{ endpointId: string }>
    const to = ['--url', 'https://a.example/', '--events', 'otp.sent', '--mode', 'test']
    webhookId = (known ?? (await runJson(program, 'webhook', 'add', '--app', appId, ...to))).endpointId
  }

  const listOf = async (what: string, ...args: string[]): Promise<unknown[]> =>
    Object.values(await runJson(program, what, 'list', ...args))[0] as unknown[]
})

/** As if typed on a terminal, with an answer to what is asked. */
async function onTerminal(answer: string, ...args: string[]): Promise<Ended> {
  const words = [...program.command, ...args].join(' ')
  const child = Bun.spawn(['script', '-qec', words, '/dev/null'], {
    cwd: program.cwd,
    env: { PATH: process.env.PATH, SHELL: '/bin/sh', TERM: 'dumb' },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let stdout = ''
  for await (const chunk of child.stdout) {
    const isAsked = stdout.includes('[y/N]')
    stdout += new TextDecoder().decode(chunk)
    if (!isAsked && stdout.includes('[y/N]')) {
      child.stdin.write(`${answer}\n`)
      await child.stdin.flush()
    }
  }
  child.stdin.end()
  return { exitCode: await child.exited, stdout, stderr: '' }
}

describe('doctor', () => {
  test('makes nothing where there is no database, and says what is wrong', async () => {
    const other = newFolder()
    undo.push(other.remove)
    const { exitCode, stdout } = await run(programIn(other.path), 'doctor', '--json')
    expect(exitCode).toBe(1)
    expect(JSON.parse(stdout).checks).toMatchObject([
      { check: 'database', state: 'problem', advice: expect.stringContaining('--data') },
    ])
    expect(readdirSync(other.path)).toEqual([])
  })

  test('exits with 0 while nothing is worse than a warning, beside a running server too', async () => {
    const server = await Server.start(program)
    undo.push(() => server.stop())
    const { exitCode, stdout } = await run(program, 'doctor', '--json')
    const { checks } = JSON.parse(stdout)
    expect({ exitCode, worst: checks.filter(({ state }: { state: string }) => state === 'problem') }).toEqual({
      exitCode: 0,
      worst: [],
    })
    expect(new Set(checks.map(({ check }: { check: string }) => check))).toEqual(
      new Set([
        'secret',
        'disk',
        'machine',
        'clock',
        'proxy',
        'carriers',
        'notices',
        'keys',
        'webhooks',
        'audit',
        'backups',
      ]),
    )
  })

  test('says that others can read the key file, and so does the log of each start', async () => {
    const tellers = async () => {
      const server = await Server.start(program)
      await server.stop()
      return server.stderr.split('\n').filter((line) => line.includes('read by others'))
    }
    expect(await tellers()).toEqual([])
    chmodSync(join(data, 'watchword.secret'), 0o640)
    expect((await tellers()).map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', file: expect.stringContaining('watchword.secret'), msg: expect.stringContaining('chmod 600') },
    ])
    const { stdout } = await run(program, 'doctor')
    expect(stdout).toMatch(/^warn +secret .*\n +chmod 600 /m)
  })

  test('opens nothing with a key file that everybody can read', async () => {
    chmodSync(join(data, 'watchword.secret'), 0o604)
    const { exitCode, stdout } = await run(program, 'doctor')
    const listed = await run(program, 'app', 'list')
    chmodSync(join(data, 'watchword.secret'), 0o600)
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^problem {2}database +Everybody can read the key file: .*; chmod 600 /m)
    expect([listed.exitCode, listed.stderr]).toEqual([1, expect.stringContaining('chmod 600')])
  })

  test('says what keeps the database from opening', async () => {
    const env = { WATCHWORD_SECRET: 'not the secret of this database at all' }
    const { exitCode, stdout } = await run({ ...program, env }, 'doctor', '--json')
    expect(exitCode).toBe(1)
    expect(JSON.parse(stdout).checks).toMatchObject([{ check: 'database', state: 'problem' }])
  })
})

describe('healthcheck', () => {
  test('exits with 0 while the server is ready, and with 1 when there is none', async () => {
    const server = await Server.start(program)
    const { port } = new URL(server.url)
    const env = { WATCHWORD_HOST: '0.0.0.0', WATCHWORD_PORT: port }
    expect(await run({ ...program, env }, 'healthcheck')).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await runJson(program, 'healthcheck', '--url', server.url)).toMatchObject({
      checks: { database: true, migrations: true, dispatcher: true },
      ready: true,
      url: `${server.url}/readyz`,
    })
    await server.stop()
    const { exitCode, stdout, stderr } = await run({ ...program, env }, 'healthcheck', '--json')
    expect({ exitCode, stdout, code: JSON.parse(stderr).error.code }).toEqual({
      exitCode: 1,
      stdout: '',
      code: 'not_ready',
    })
  })

  test('exits with 1 when the server says that it is not ready, and when it says nothing', async () => {
    const answers = [() => new Response('{}', { status: 503 }), () => new Promise<Response>(() => {})]
    for (const fetch of answers) {
      const stub = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch })
      undo.push(() => stub.stop(true))
      expect((await run(program, 'healthcheck', '--url', stub.url.origin)).exitCode).toBe(1)
    }
  })
})

test('what is printed for a shell is what completes in it', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout } = await run(program, 'completion', shell)
    expect(stdout).toContain('complete --')
    writeFileSync(join(folder.path, `completion.${shell}`), stdout)
  }
  const { exitCode } = await run({ command: ['bash', '-n', 'completion.bash'], cwd: folder.path })
  expect(exitCode).toBe(0)
  expect((await run(program, 'complete', '--', 'app', 're')).stdout).toMatch(
    /^rename\t.+\nregion\t.+\nretention\t.+\nremove\t.+\n$/,
  )
  expect(existsSync(data)).toBe(true)
})
