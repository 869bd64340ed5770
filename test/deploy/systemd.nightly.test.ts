/**
 * The units of `deploy` in a machine that systemd has booted: nothing that issues is lost while the service is restarted or
 * killed, and a database that comes late is waited for. Needs Debian's package `systemd-container`, and root.
 */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { compile } from '../binary/compiled'
import { isBuilt, runJson, StubCarrier } from '../binary/support'
import { bootMachine, type Machine } from '../support/booted-systemd'
import { CuttingProxy } from '../support/cutting-proxy'
import { freePort } from '../support/free-port'
import { sharedPostgres } from '../support/postgres'
import { HANGS_AFTER_MS, until } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const SECRET = 'the secret of a service that systemd starts'
const AT_A_TIME = 10

const leave: Array<() => unknown> = []
afterEach(async () => {
  for (const step of leave.splice(0).reverse()) await step()
})

async function booted(settings: Record<string, string>) {
  const binary = await compile()
  await isBuilt([binary])
  const port = freePort()
  const machine = await bootMachine(binary, port, { WATCHWORD_PORT: String(port), ...settings })
  leave.push(() => machine.stop())
  const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init)
  const status = (path: string) =>
    ask(path).then(
      (response) => response.status,
      () => 0,
    )
  return { machine, ask, status }
}

type Booted = Awaited<ReturnType<typeof booted>>

/** An app with a live key, and a carrier that takes everything. */
async function live({ machine: { program } }: Booted) {
  const carrier = new StubCarrier()
  leave.push(() => carrier.stop())
  const { appId } = await runJson(program, 'app', 'create', 'shop')
  await runJson(program, 'credit', 'add', '--app', appId, '--amount', '100000')
  await runJson(program, 'provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', carrier.url)
  const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live')
  return { key, carrier }
}

const issuedAs = (key: string, n: number): RequestInit => ({
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ phoneNumber: `+8210${40_000_000 + n}`, purpose: 'login', idempotencyKey: `n${n}` }),
})

/** Asks for codes without pause until it is told to stop; answers all statuses, and what never came to an answer as 0. */
function issuing({ ask }: Booted, key: string) {
  let isOver = false
  const statuses: number[] = []
  const one = async (from: number) => {
    for (let n = from; !isOver; n += AT_A_TIME) {
      statuses.push(
        await ask('/v1/issue', issuedAs(key, n)).then(
          (response) => response.status,
          () => 0,
        ),
      )
    }
  }
  const all = Promise.all(Array.from({ length: AT_A_TIME }, (_, n) => one(n)))
  return {
    count: () => statuses.length,
    async end() {
      isOver = true
      await all
      return statuses
    },
  }
}

const processOf = async ({ run }: Machine) =>
  (await run('systemctl', 'show', '--property=MainPID', '--value', 'watchword.service')).trim()

test('a restart loses no request where systemd holds the socket', async () => {
  const on = await booted({ WATCHWORD_SECRET: SECRET })
  await on.machine.run('systemctl', 'enable', '--now', 'watchword.socket', 'watchword.service')
  await until(async () => (await on.status('/readyz')) === 200, 'the service to be ready')
  const { key, carrier } = await live(on)
  const asked = issuing(on, key)
  for (let restart = 0; restart < 2; restart++) {
    const [before, process] = [asked.count(), await processOf(on.machine)]
    await on.machine.run('systemctl', 'restart', 'watchword.service')
    expect(await processOf(on.machine)).not.toBe(process)
    await until(() => asked.count() > before + 3 * AT_A_TIME, 'codes to be issued again')
  }
  const statuses = await asked.end()
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  await until(() => carrier.received.length >= statuses.length, 'every code to be sent')
  expect(carrier.received.length).toBe(statuses.length)
})

test('its start is over when codes go out, and not before', async () => {
  const on = await booted({ WATCHWORD_SECRET: SECRET })
  // Returns once the service says that it is ready.
  await on.machine.run('systemctl', 'start', 'watchword.service')
  expect(await on.status('/readyz')).toBe(200)
  const state = await on.machine.run('systemctl', 'show', '--property=Type,ActiveState', 'watchword.service')
  expect(state.split('\n').filter(Boolean).sort()).toEqual(['ActiveState=active', 'Type=notify'])
  await on.machine.run('systemctl', 'stop', 'watchword.service')
  expect(await on.machine.run('systemctl', 'show', '--property=Result', '--value', 'watchword.service')).toBe(
    'success\n',
  )
})

test('the doctor knows the settings of the service where it is run with them, as docs/operating.md says', async () => {
  const on = await booted({
    WATCHWORD_SECRET: SECRET,
    WATCHWORD_PUBLIC_URL: 'https://otp.example.com',
    WATCHWORD_TRUSTED_PROXIES: '127.0.0.1/32',
  })
  await on.machine.run('systemctl', 'start', 'watchword.service')
  const properties = ['User=watchword', 'EnvironmentFile=/etc/watchword/watchword.env'].map(
    (one) => `--property=${one}`,
  )
  const how = ['--pipe', '--wait', '--quiet', ...properties, '--setenv=WATCHWORD_DATA=/var/lib/watchword']
  const told = await on.machine.run('systemd-run', ...how, '/usr/local/bin/watchword', 'doctor')
  expect(told).toContain('Reached as https://otp.example.com')
})

test('a server whose event loop stands still is ended by the watchdog, and one that works is left alone', async () => {
  const on = await booted({ WATCHWORD_SECRET: SECRET })
  await on.machine.run('mkdir', '-p', '/etc/systemd/system/watchword.service.d')
  const shorter = 'printf "[Service]\\nWatchdogSec=3\\n" > /etc/systemd/system/watchword.service.d/watchdog.conf'
  await on.machine.run('sh', '-c', shorter)
  await on.machine.run('systemctl', 'daemon-reload')
  await on.machine.run('systemctl', 'start', 'watchword.service')
  const process = await processOf(on.machine)
  const fedAt = () =>
    on.machine.run('systemctl', 'show', '--property=WatchdogTimestampMonotonic', '--value', 'watchword.service')
  const fed = new Set<string>()
  // It is fed each second, so that is twice as long as it waits.
  await until(async () => fed.add(await fedAt()).size > 6, 'the watchdog to be fed')
  expect(await processOf(on.machine)).toBe(process)
  await on.machine.run('kill', '-STOP', process)
  await until(async () => ![process, '0'].includes(await processOf(on.machine)), 'the watchdog to end it')
  await until(async () => (await on.status('/readyz')) === 200, 'the service to be ready again')
})

test('it is started again after each of twenty kills', async () => {
  const on = await booted({ WATCHWORD_SECRET: SECRET })
  await on.machine.run('systemctl', 'enable', '--now', 'watchword.service')
  for (let kill = 0; kill < 20; kill++) {
    await until(async () => (await on.status('/readyz')) === 200, 'the service to be ready')
    await on.machine.run('systemctl', 'kill', '--signal=SIGKILL', 'watchword.service')
    await until(async () => (await on.status('/readyz')) !== 200, 'the service to be gone')
  }
  await until(async () => (await on.status('/readyz')) === 200, 'the service to be ready')
})

test('it waits for a PostgreSQL that comes later than it, and writes no database of its own', async () => {
  const postgres = await sharedPostgres()
  const database = await postgres.database()
  leave.push(() => database.drop())
  const url = new URL(database.url)
  const late = Object.assign(new URL(database.url), { port: String(freePort()) })
  const on = await booted({ WATCHWORD_SECRET: SECRET, WATCHWORD_DATABASE_URL: late.href })
  // Its start is over when the database is there.
  await on.machine.run('systemctl', 'start', '--no-block', 'watchword.service')
  await until(async () => (await on.status('/healthz')) === 200, 'the service to live')
  expect(await on.status('/readyz')).toBe(503)
  const proxy = await CuttingProxy.start(Number(url.port), Number(late.port))
  leave.push(() => proxy.stop())
  await until(async () => (await on.status('/readyz')) === 200, 'the service to be ready')
  expect(await on.machine.run('systemctl', 'show', '--property=NRestarts', '--value', 'watchword.service')).toBe('0\n')
  expect(await on.machine.run('find', '/var/lib/watchword', '-name', '*.db')).toBe('')
})
