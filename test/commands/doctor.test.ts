import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkCarriers } from '../../src/cli/doctor/carriers'
import { checkClock } from '../../src/cli/doctor/clock'
import { checkBackups, checkDisk, judgeRoom } from '../../src/cli/doctor/disk'
import type { Check } from '../../src/cli/doctor/finding'
import { checkMachine, connectionsOf, judgeMachine } from '../../src/cli/doctor/machine'
import { checkProxy } from '../../src/cli/doctor/proxy'
import { checkSecret } from '../../src/cli/doctor/secret'
import { checkWebhooks } from '../../src/cli/doctor/webhooks'
import { readConfig } from '../../src/config'
import { NO_REPORTS } from '../../src/domain/delivery/report-tally'
import type { Leg } from '../../src/domain/shared/value'
import {
  addCredit,
  createApp,
  createKey,
  pauseCarrier,
  removeCarrier,
  saveTemplate,
  setCarrier,
  setPlan,
  setRoute,
} from '../../src/usecases/administer'
import { World } from '../support/world'

let world: World
beforeEach(async () => {
  world = await World.start()
})
afterEach(() => world.stop())

/** What a check finds, as `state: message`. */
async function found(check: Check, env: Record<string, string> = {}, now = world.clock.now()): Promise<string[]> {
  const config = { ...readConfig(env), dataDir: world.dir }
  return (await check({ config, store: world.store, now })).map(({ state, message }) => `${state}: ${message}`)
}

const newApp = async () => (await world.furnish()).appId

describe('the secret', () => {
  const write = (mode: number) => writeFileSync(join(world.dir, 'watchword.secret'), 'secret', { mode })

  test('is well in a file of its owner', async () => {
    write(0o600)
    expect(await found(checkSecret)).toEqual([expect.stringMatching(/^ok: .*watchword\.secret/)])
  })

  test('is told to be readable by others, and to be in two places', async () => {
    write(0o640)
    expect(await found(checkSecret)).toEqual([expect.stringMatching(/^warn: .*read by others/)])
    expect(await found(checkSecret, { WATCHWORD_SECRET: 'x'.repeat(32) })).toEqual([
      expect.stringMatching(/^warn: .*WATCHWORD_SECRET and in/),
    ])
  })
})

describe('the disk', () => {
  test('is well while the database can be written', async () => {
    expect((await found(checkDisk)).filter((line) => line.includes('cannot be written'))).toEqual([])
  })

  test('is told not to take anything', async () => {
    const assertWritable = () => Promise.reject(new Error('full'))
    const [first] = await checkDisk({
      config: { ...readConfig({}), dataDir: world.dir },
      store: { ...world.store, assertWritable },
      now: 0,
    })
    expect(first).toMatchObject({ state: 'problem', message: expect.stringContaining('cannot be written') })
  })
})

describe('the room on the disk', () => {
  const GIB = 2 ** 30
  const WELL = { free: 2 * GIB, size: 0, log: 0, files: 1_000 }
  const told = (usage: Partial<typeof WELL>) =>
    judgeRoom('/data', { ...WELL, ...usage }).map(({ state, message }) => `${state}: ${message}`)

  test('is enough for a backup of database and log, and for the log to grow', () => {
    expect(told({})).toEqual([])
    expect(told({ size: 1.9 * GIB })).toEqual([])
    expect(told({ size: 1.9 * GIB, log: 0.1 * GIB })).toEqual([
      'warn: 2048 MiB are free in /data; the database has 2048 MiB, and a backup takes as much.',
    ])
  })

  test('is told to be little, to be at its end, and to be none for files', () => {
    expect(told({ free: 0.9 * GIB })).toEqual([expect.stringMatching(/^warn: 922 MiB/)])
    expect(told({ free: 0.08 * GIB })).toEqual([expect.stringMatching(/^problem: 82 MiB/)])
    expect(told({ files: 7 })).toEqual(['problem: /data has room for 7 files more.'])
  })
})

describe('the machine', () => {
  const MIB = 2 ** 20
  const WELL = { descriptors: 65_536, memory: 512 * MIB, processors: 2, threads: 64, waiting: 4_096 }
  const told = (box: Partial<Record<keyof typeof WELL, number | undefined>>, connections = 256) =>
    judgeMachine({ name: 'It', box: { ...WELL, ...box } }, connections).map(
      ({ state, message }) => `${state}: ${message}`,
    )

  test('is well with what the unit gives, and where it says nothing', () => {
    expect(told({})).toEqual(['ok: It has 65536 file descriptors, 512 MiB of memory, 2 processors, 64 threads.'])
    const silent = { descriptors: undefined, memory: undefined, processors: undefined, threads: undefined }
    expect(told({ ...silent, waiting: undefined })).toEqual([expect.stringMatching(/^ok: /)])
  })

  test.each<[string, Parameters<typeof told>[0], RegExp]>([
    ['few file descriptors', { descriptors: 1_024 }, /^warn: It may have 1024 .* take 256 .* leaves 672 for clients/],
    ['fewer than it opens itself', { descriptors: 352 }, /^problem: It may have 352 .* may take 256 of them\.$/],
    ['little memory', { memory: 256 * MIB }, /^warn: .*256 MiB/],
    ['less than it lives on', { memory: 96 * MIB }, /^problem: .*96 MiB/],
    ['a part of a processor', { processors: 0.25 }, /^warn: It gets 0\.25 of a processor/],
    ['few threads', { threads: 39 }, /^warn: It may have 39 threads/],
    ['fewer than it lives on', { threads: 9 }, /^problem: It may have 9 threads/],
    ['a short queue of connections', { waiting: 128 }, /^warn: 128 connections may wait/],
  ])('is told to have %s', (_, box, line) => {
    expect(told(box)).toEqual([expect.stringMatching(line)])
  })

  test('has to have descriptors for what carriers, webhooks and database may take at a time; a session of SMPP is one', async () => {
    const of = (env: Record<string, string>) => connectionsOf({ config: readConfig(env), store: world.store })
    const config = { host: 'smpp.test', systemId: 'shop', password: 'secret', window: 500 }
    await newApp()
    await setCarrier(world.admin, { name: 'main', type: 'smpp', channels: ['sms'], config })
    await removeCarrier(world.admin, 'kakao')
    const webhooks = 256
    expect(await of({})).toBe(webhooks + 1)
    const http = { type: 'http', channels: ['sms'] as const, config: { url: 'http://carrier.test/' } }
    await setCarrier(world.admin, { name: 'usual', ...http })
    await setCarrier(world.admin, { name: 'own', ...http, concurrency: 300 })
    expect(await of({})).toBe(webhooks + 1 + 128 + 300)
    const url = 'postgres://ann@127.0.0.1/x'
    const shared = { WATCHWORD_DATABASE_URL: url, WATCHWORD_SECRET: 'x'.repeat(32), WATCHWORD_DATABASE_POOL: '10' }
    expect(await of(shared)).toBe(webhooks + 429 + 15)
  })

  test('is that of a server started like the doctor, where none runs', async () => {
    const [line] = await found(checkMachine)
    expect(line).toMatch(/A server started like this command|connections may wait/)
  })
})

describe('webhooks', () => {
  const told = async (queue: { waiting: number; oldestDueMs: number }) => {
    const jobs = { ...world.store.read.jobs, queues: async () => [{ kind: 'webhook' as const, due: 0, ...queue }] }
    const store = { ...world.store, read: { ...world.store.read, jobs } }
    return (await checkWebhooks({ config: readConfig({}), store, now: 0 })).map(
      ({ state, message, advice = '' }) => `${state}: ${message} ${advice}`,
    )
  }

  test('are well while none waits, or few do, and not for long', async () => {
    expect(await found(checkWebhooks)).toEqual(['ok: 0 webhook events wait for their receivers.'])
    expect(await told({ waiting: 10_000, oldestDueMs: 300_000 })).toEqual([expect.stringMatching(/^ok: 10000 webhook/)])
  })

  test('are told to be many, and to be late', async () => {
    expect(await told({ waiting: 152_933, oldestDueMs: 0 })).toEqual([
      expect.stringMatching(/^warn: 152933 webhook events wait for their receivers\. .*webhook list/),
    ])
    expect(await told({ waiting: 1, oldestDueMs: 301_000 })).toEqual([
      expect.stringMatching(/^warn: A webhook event is late by 6 minutes\./),
    ])
  })
})

describe('the clock', () => {
  test('is well after what it wrote', async () => {
    await newApp()
    expect(await found(checkClock)).toEqual([expect.stringMatching(/^ok: /)])
  })

  test('is told to be behind a change, and behind an issue', async () => {
    const { test: key } = await world.furnish()
    const ofChange = world.clock.now()
    expect(await found(checkClock, {}, ofChange - 60_000)).toEqual([
      expect.stringMatching(/^problem: The newest record/),
    ])
    world.clock.step(600_000)
    const input = { phoneNumber: '010-0000-0000', purpose: 'x', idempotencyKey: 'x' }
    expect((await world.call('rest', 'issue', input, { key })).status).toBe(200)
    expect(await found(checkClock, {}, ofChange + 60_000)).toEqual([
      expect.stringMatching(/^problem: The newest record/),
    ])
  })

  test('is told to have gone back once', async () => {
    await newApp()
    world.clock.step(-60_000)
    await addCredit(world.admin, { appId: (await world.store.read.apps.all())[0]?.appId ?? '', amount: 1 })
    world.clock.step(120_000)
    expect(await found(checkClock)).toEqual([expect.stringMatching(/^warn: The clock has gone back/)])
  })
})

describe('the way in', () => {
  test.each([
    [{}, [/^ok: Reached from this machine only/]],
    [{ WATCHWORD_HOST: '0.0.0.0' }, [/^warn: WATCHWORD_PUBLIC_URL is not set/]],
    [{ WATCHWORD_TRUSTED_PROXIES: '10.0.0.0/8' }, [/^warn: WATCHWORD_PUBLIC_URL is not set/]],
    [{ WATCHWORD_PUBLIC_URL: 'http://otp.example.com' }, [/^problem: .*plain http/]],
    [{ WATCHWORD_PUBLIC_URL: 'http://localhost:8787' }, [/^ok: /]],
    [{ WATCHWORD_PUBLIC_URL: 'https://otp.example.com' }, [/^warn: .*TRUSTED_PROXIES/]],
    [{ WATCHWORD_PUBLIC_URL: 'https://otp.example.com', WATCHWORD_TRUSTED_PROXIES: '127.0.0.1/32' }, [/^ok: /]],
  ] as Array<[Record<string, string>, RegExp[]]>)('with %j is told: %p', async (env, lines) => {
    expect(await found(checkProxy, env)).toEqual(lines.map((line) => expect.stringMatching(line)))
  })
})

describe('carriers', () => {
  const provide = (name: string, channels: Array<'sms' | 'alimtalk'>) =>
    setCarrier(world.admin, { name, type: 'http', channels, config: { url: 'http://carrier.test/' } })

  test('are missing only as a warning while there are test keys alone', async () => {
    expect(await found(checkCarriers)).toEqual([expect.stringMatching(/^warn: No carrier serves SMS/)])
  })

  test('with a fallback, healthy and paid for, are well', async () => {
    await newApp()
    await provide('second', ['sms'])
    expect(await found(checkCarriers)).toEqual([expect.stringMatching(/^ok: kakao, main, second serve/)])
  })

  test('are told whose reports do not get in, and why', async () => {
    await newApp()
    await provide('second', ['sms'])
    const at = world.clock.now() - 60_000
    const refused = { times: 30, since: at, lastAt: at }
    const tally = {
      ...NO_REPORTS,
      accepted: 12,
      acceptedSince: at,
      refused: { unauthorized: refused, unmatched: refused },
    }
    await world.store.transaction((tx) => tx.carriers.saveReports('main', tally))
    expect(await found(checkCarriers)).toEqual([
      'warn: main reported last: never. 12 messages were accepted since; 30 refused: wrong secret, signature or address.',
    ])
  })

  test('are told to be one only, unhealthy, and to work for an app without credit', async () => {
    await newApp()
    const { appId } = await createApp(world.admin, { name: 'poor' })
    await createKey(world.admin, { appId, kind: 'sk', mode: 'live' })
    const health = { isHealthy: false, since: world.clock.now(), code: 'HTTP_401', retryAt: undefined }
    await world.store.transaction((tx) => tx.carriers.saveHealth('main', health))
    expect(await found(checkCarriers)).toEqual([
      expect.stringMatching(/^warn: SMS has one carrier only, main/),
      expect.stringMatching(/^warn: The server found main unhealthy .*HTTP_401/),
      expect.stringMatching(/^problem: poor .*no credit/),
    ])
  })

  test('are told to be paused, and a paused one serves nothing', async () => {
    await newApp()
    await pauseCarrier(world.admin, 'main')
    expect(await found(checkCarriers)).toEqual([
      expect.stringMatching(/^problem: No carrier serves SMS/),
      expect.stringMatching(/^warn: main is paused since 20.*Z: it gets no new message/),
    ])
  })

  test('are told to be missing where live keys ask for them', async () => {
    const appId = await newApp()
    await saveTemplate(world.admin, appId, {
      templateId: 'talk',
      name: 'talk',
      channelSupport: ['alimtalk'],
      body: '#{code}',
      variables: {},
      providerTemplateCode: 'T',
    })
    for (const name of ['main', 'kakao']) await removeCarrier(world.admin, name)
    expect(await found(checkCarriers)).toEqual([
      expect.stringMatching(/^problem: No carrier serves SMS/),
      expect.stringMatching(/^problem: No carrier serves AlimTalk/),
    ])
  })
})

describe('legs of a delivery plan', () => {
  test('are told where no carrier serves them, and where no country is open', async () => {
    const appId = await newApp()
    const provide = (name: string, channels: Leg[]) =>
      setCarrier(world.admin, { name, type: 'http', channels, config: { url: 'http://carrier.test/' } })
    await provide('second', ['sms'])
    const legs = [{ channel: 'whatsapp', waitSec: 8 }, { channel: 'sms', waitSec: 8 }, { channel: 'voice' }] as const
    await setPlan(world.admin, appId, { channel: 'sms', country: undefined, legs })
    expect(await found(checkCarriers)).toEqual([
      expect.stringMatching(/^warn: .* leg by whatsapp, and no carrier serves it/),
      expect.stringMatching(/^warn: .* leg by voice, and no carrier serves it/),
    ])
    await provide('meta', ['whatsapp'])
    await provide('caller', ['voice'])
    expect(await found(checkCarriers)).toEqual([
      expect.stringMatching(/^warn: .* leg by voice, and no country is open/),
    ])
    await setRoute(world.admin, { channel: 'voice', country: 'KR', appId: undefined, carriers: ['caller'] })
    expect(await found(checkCarriers)).toEqual([expect.stringMatching(/^ok: /)])
  })
})

describe('backups', () => {
  const HOUR = 3_600_000

  test.each([
    ['none', undefined, /^warn: There are no backups/],
    ['a new one', 2, /^ok: .*2 hours old/],
    ['an old one', 25, /^warn: .*25 hours old/],
  ])('%s', async (_, hours, line) => {
    if (hours !== undefined) {
      const file = join(world.dir, 'backups', 'watchword-x.db')
      mkdirSync(join(world.dir, 'backups'))
      writeFileSync(file, 'rows')
      const at = (world.clock.now() - hours * HOUR) / 1_000
      utimesSync(file, at, at)
    }
    expect(await found(checkBackups)).toEqual([expect.stringMatching(line)])
  })
})
