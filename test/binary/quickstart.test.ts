/** The first minute: what `quickstart` prints can be pasted, its keys stay, and it ends with whoever runs it. */
import { afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { sharedPostgres } from '../support/postgres'
import { HANGS_AFTER_MS, until } from '../support/until'
import { curlIn } from './curl'
import { Receiver } from './hook-receiver'
import { isBuilt, newFolder, programIn, run } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const MAIN = programIn('.').command
beforeAll(() => isBuilt(MAIN))

const undo: Array<() => unknown> = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

interface Quickstart {
  child: Subprocess<'ignore', 'pipe', 'pipe'>
  printed: string
  url: string
}

/** Starts it by a command, and answers once it has printed everything. */
async function start(command: string[], cwd: string, more: Record<string, string> = {}): Promise<Quickstart> {
  const env = { PATH: process.env.PATH, HOME: cwd, ...more }
  const child = Bun.spawn([...command, '--port', '0'], { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  undo.push(() => child.kill('SIGKILL'))
  let printed = ''
  for await (const chunk of child.stdout) {
    printed += new TextDecoder().decode(chunk)
    if (printed.includes('Ctrl+C')) break
  }
  return { child, printed, url: printedAs(printed, 'API').replace('/v1', '') }
}

const printedAs = (printed: string, label: string) => new RegExp(`^  ${label} +(\\S+)$`, 'm').exec(printed)?.[1] ?? ''

const isServed = (url: string) =>
  fetch(`${url}/healthz`).then(
    () => true,
    () => false,
  )

function newHome(): string {
  const { path, remove } = newFolder()
  undo.push(remove)
  return path
}

test('its keys are the same at every start, and an own key of the app goes on working', async () => {
  const home = newHome()
  const command = [...MAIN, 'quickstart']
  const first = await start(command, home)
  const app = printedAs(first.printed, 'App')
  const made = ['key', 'create', '--app', app, '--kind', 'sk', '--mode', 'test', '--json']
  const { key } = JSON.parse((await run({ command: MAIN, cwd: home }, ...made)).stdout)
  first.child.kill('SIGTERM')
  expect(await first.child.exited).toBe(0)

  const second = await start(command, home)
  for (const label of ['App', 'Secret key', 'Public key']) {
    expect(printedAs(second.printed, label)).toBe(printedAs(first.printed, label))
  }
  for (const one of [key, printedAs(first.printed, 'Secret key')]) {
    const answer = await fetch(`${second.url}/v1/balance`, { headers: { authorization: `Bearer ${one}` } })
    expect(answer.status).toBe(200)
  }
})

test('on PostgreSQL it says where everything is, and makes no folder', async () => {
  const home = newHome()
  const { url, drop } = await (await sharedPostgres()).database()
  undo.push(drop)
  const env = { WATCHWORD_DATABASE_URL: url, WATCHWORD_SECRET: 'the secret of a quickstart on PostgreSQL' }
  const { child, printed } = await start([...MAIN, 'quickstart'], home, env)
  expect(printedAs(printed, 'Data')).toBe(url)
  expect(printedAs(printed, 'Secret key')).toMatch(/^sk_test_/)
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  expect(readdirSync(home)).not.toContain('watchword-data')
})

test('it sends webhooks of test mode to receivers on this machine, and none of live mode', async () => {
  const home = newHome()
  const { printed, url } = await start([...MAIN, 'quickstart'], home)
  const receiver = new Receiver()
  undo.push(receiver.stop)
  const app = printedAs(printed, 'App')
  const hook = async (...args: string[]) =>
    JSON.parse((await run({ command: MAIN, cwd: home }, 'webhook', ...args, '--json')).stdout)
  const add = (mode: string, host: string) => {
    const at = `http://${host}:${receiver.port}/${mode}-${host}`
    return hook('add', '--app', app, '--mode', mode, '--url', at, '--events', 'otp.sent')
  }
  const live = await add('live', '127.0.0.1')
  expect(live.warning).toContain('must begin with https://')
  await hook('test', live.endpointId)
  for (const host of ['127.0.0.1', 'localhost']) {
    expect((await add('test', host)).warning).toMatch(/quickstart/)
    await fetch(`${url}/v1/issue`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${printedAs(printed, 'Secret key')}`,
        'content-type': 'application/json',
        'idempotency-key': host,
      },
      body: JSON.stringify({ phoneNumber: '010-0000-0000', purpose: 'signup' }),
    })
    await receiver.has(1, `/test-${host}`)
  }
  const lastError = async () => (await hook('events', live.endpointId)).events[0].lastError
  await until(async () => (await lastError()) !== undefined, 'the event of live mode to be tried')
  expect(await lastError()).toStartWith('forbidden: ')
  expect(receiver.at('/live-127.0.0.1')).toEqual([])
})

test.each(['sh', 'bash', 'zsh'].filter((shell) => Bun.which(shell)))(
  'what it prints can be pasted into %s',
  async (shell) => {
    const home = newHome()
    const env = { PATH: `${curlIn(home)}:${process.env.PATH}` }
    const paste = async (lines: string[]) => {
      const { stdout, stderr } = await run({ command: [shell, '-c', lines.join('\n')], cwd: home, env })
      expect(stderr).toBe('')
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    }

    const { printed } = await start([...MAIN, 'quickstart'], home)
    const lines = printed.split('\n').filter((line) => /^ {2}(curl|[A-Z]+=)/.test(line))
    const [alone = '', ...inOrder] = lines
    expect(alone).toMatch(/^ {2}curl -s http/)
    expect(inOrder).toHaveLength(6)
    const [issued] = await paste([alone])
    expect(issued).toMatchObject({ issueId: expect.stringMatching(/-/), mode: 'test' })
    const [again, status, verified] = await paste(inOrder)
    expect(again.issueId).not.toBe(issued.issueId)
    expect(status).toMatchObject({ issueId: again.issueId })
    expect(verified).toMatchObject({ issueId: again.issueId, verified: true })

    // One's own number is what is tried next, and what is said of it stands above.
    const [refused] = await paste([alone.replace('010-0000-0000', '010-1234-5678')])
    expect(refused.data.code).toBe('TEST_NUMBER_REQUIRED')
    expect(printed).toContain('your own number is refused with TEST_NUMBER_REQUIRED')
  },
)

/** A folder whose package runs it as a script, as this repository's does. */
function newPackage(): string {
  const home = newHome()
  writeFileSync(
    join(home, 'package.json'),
    JSON.stringify({ scripts: { quickstart: `true && ${MAIN.join(' ')} quickstart` } }),
  )
  return home
}

test.each([
  ['bun run', 'SIGTERM'],
  ['bun run', 'SIGINT'],
  ['bun run', 'SIGHUP'],
  ['bun run', 'SIGKILL'],
  ['npm run', 'SIGTERM'],
  ['npm run', 'SIGHUP'],
  ['npm run', 'SIGKILL'],
] as const)('when `%s` is ended by %s it drains and frees its port', async (runner, signal) => {
  const home = newPackage()
  const command = runner === 'bun run' ? [process.execPath, 'run', 'quickstart'] : ['npm', 'run', 'quickstart', '--']
  const { child, url } = await start(command, home)
  expect(await isServed(url)).toBe(true)
  child.kill(signal)
  await child.exited
  await until(async () => !(await isServed(url)), 'the port to be free')
  // The folder is let go by the end of the process, which comes a moment after the port is free.
  const data = join(home, 'watchword-data')
  await until(() => Bun.spawnSync(['flock', '--nonblock', data, 'true']).success, 'the folder to be let go')
  const next = await start([...MAIN, 'quickstart'], home)
  expect(await isServed(next.url)).toBe(true)
})

test('started by hand in the background, it outlives the shell that started it', async () => {
  const home = newHome()
  const log = join(home, 'log')
  const { stdout } = await run({
    command: ['sh', '-c', `${MAIN.join(' ')} quickstart --port 0 > ${log} 2>&1 & echo $!`],
    cwd: home,
  })
  undo.push(() => process.kill(Number(stdout), 'SIGTERM'))
  await until(async () => (await Bun.file(log).text()).includes('Ctrl+C'), 'it to start')
  const url = printedAs(await Bun.file(log).text(), 'API').replace('/v1', '')
  // Another that a runner started has looked for it and found it gone, which takes longer than the first look of this one.
  const other = await start([process.execPath, 'run', 'quickstart'], newPackage())
  other.child.kill('SIGKILL')
  await until(async () => !(await isServed(other.url)), 'the other to end')
  expect(await isServed(url)).toBe(true)
})
