/** The real app on a real database, with virtual time, seeded randomness and scripted carriers. */
import { contract } from '../../contract'
import { createApp, type RunningApp } from '../../src/app'
import { type Config, readConfig } from '../../src/config'
import type { KeyKind, KeyLimits } from '../../src/domain/access/caller'
import type { DiskUsage } from '../../src/domain/operations/disk'
import type { Leg, Mode } from '../../src/domain/shared/value'
import { describeApi } from '../../src/http/openapi'
import { WAIT_FOR_SLOT_MS } from '../../src/jobs/dispatch'
import type { Clock } from '../../src/ports/clock'
import type { Backups } from '../../src/ports/files'
import type { Log } from '../../src/ports/log'
import type { HookTransport, Mailer, Transport } from '../../src/ports/network'
import type { Fleet } from '../../src/ports/node'
import type { Store } from '../../src/ports/store'
import type { MetricsSource } from '../../src/ports/telemetry'
import type { Passwords, Vault } from '../../src/ports/vault'
import { assertCarrier, reportsBySecret } from '../../src/providers/carriers'
import { systemPasswords } from '../../src/system/passwords'
import { createTelemetry, type Listeners } from '../../src/system/telemetry'
import { createVault } from '../../src/system/vault'
import * as administer from '../../src/usecases/administer'
import { ASLEEP } from './asleep'
import { Carrier, HTTP_ONLY, transportTo } from './carrier'
import { VirtualClock } from './clock'
import { isNightly } from './depth'
import { type AssertDescribed, describedBy } from './described'
import { inLockOrder } from './locks'
import { FilePlace, IS_POSTGRES, newPlace, type OpenedStore, type Parameter, type Place } from './place'
import { type SeededRandom, seededRandom } from './random'

export const START = Date.parse('2026-03-01T12:00:00.000Z')
export const SECRET = 'a master secret for tests, 32+ characters'
export const REPORT_SECRET = 'report-secret-of-tests'

/** Real ones are slow on purpose, and settle outside of virtual time. */
export const PLAIN_PASSWORDS: Passwords = {
  hash: async (password) => `plain:${password}`,
  verify: async (password, hash) => hash === `plain:${password}`,
  isCommon: systemPasswords.isCommon,
}

const NOBODY_LISTENS: HookTransport = { post: async () => ({ kind: 'failed', reason: 'refused' }) }

export type Operation = keyof typeof contract
export type Wire = 'rest' | 'rpc'
/** Which wire carries a call does not matter to the store: only nightly plays both over PostgreSQL. */
export const WIRES: Wire[] = IS_POSTGRES && !isNightly ? ['rest'] : ['rest', 'rpc']

// biome-ignore lint/suspicious/noExplicitAny: answers are compared, not used
type Json = any

export interface Answer {
  status: number
  headers: Headers
  body: Json
}

export interface CallOptions {
  key?: string
  headers?: Record<string, string>
  ip?: string
}

export interface WorldOptions {
  seed?: number
  env?: Record<string, string>
  clock?: VirtualClock
  /** What another world has left, or shares; a new one otherwise. */
  place?: Place
  carriers?: { sms: Carrier; kakao: Carrier; backup?: Carrier; whatsapp?: Carrier; voice?: Carrier }
  /** The master secret, where it is not that of all tests. */
  secret?: string
  /** With the keys that a new database is to have. */
  vault?: Vault
  /** The clock as this process sees it, where it can be killed. */
  processClock?: Clock
  /** Wraps what the app gets, to delay or to sabotage it. */
  wrapStore?: (store: Store) => Store
  /** Receivers of webhooks. */
  hooks?: HookTransport
  /** The receiver that is told of incidents. */
  toOperator?: Transport
  mailer?: Mailer
  backups?: Backups
  disk?: () => DiskUsage
  /** As a release hashed them that was no test. */
  passwords?: Passwords
  wrapTransport?: (transport: Transport) => Transport
  soon?: (drain: () => void) => void
  /** Who is told beside the log. */
  listeners?: Omit<Listeners, 'log'>
  metrics?: MetricsSource
  /** Of several servers: what the store has; on SQLite none otherwise. */
  fleet?: Fleet
}

interface Opened extends WorldOptions {
  place: Place
  clock: VirtualClock
  random: SeededRandom
  vault: Vault
  opened: OpenedStore
}

/** The tests of the interface hold every answer against its description; others have no time for that. */
const isOfContract = () => Bun.main.includes('/test/contract/') && !IS_POSTGRES
/** It is made once for a process. Which file is run changes in it. */
let described: AssertDescribed | undefined

const NO_MAILER: Mailer = { send: async () => 'nobody listens', verify: async () => 'nobody listens' }

export class World {
  readonly clock: VirtualClock
  readonly random: SeededRandom
  readonly sms: Carrier
  readonly kakao: Carrier
  readonly whatsapp: Carrier
  readonly voice: Carrier
  readonly logged: string[] = []
  readonly place: Place
  readonly config: Config
  readonly store: Store
  readonly vault: Vault
  readonly app: RunningApp
  readonly #sweeps: Array<() => Promise<void>> = []
  readonly #isTimed: boolean
  /** How transactions have locked against the order of locks; none may. */
  readonly violations = new Set<string>()
  #assertDescribed: AssertDescribed = () => {}
  /** What the store is asked and has not answered yet. */
  #inFlight = 0
  /** Who waits until all of it is answered. */
  #answered: Array<() => void> = []

  readonly #counted = async <T>(answer: Promise<T>): Promise<T> => {
    this.#inFlight++
    try {
      return await answer
    } finally {
      if (--this.#inFlight === 0) for (const go of this.#answered.splice(0)) go()
    }
  }

  private constructor({ place, clock, random, vault, opened, ...options }: Opened) {
    this.place = place
    this.clock = clock
    this.random = random
    this.vault = vault
    this.#isTimed = options.soon !== undefined
    this.sms = options.carriers?.sms ?? new Carrier()
    this.kakao = options.carriers?.kakao ?? new Carrier()
    this.config = readConfig({ ...options.env })
    const ordered = inLockOrder(opened, (violation) => this.violations.add(violation))
    this.store = this.#counting(options.wrapStore?.(ordered) ?? ordered)
    const backup = options.carriers?.backup ?? new Carrier()
    this.whatsapp = options.carriers?.whatsapp ?? new Carrier()
    this.voice = options.carriers?.voice ?? new Carrier()
    const transport = transportTo({
      ...{ [SMS_URL]: this.sms, [KAKAO_URL]: this.kakao, [BACKUP_URL]: backup },
      ...{ [WHATSAPP_URL]: this.whatsapp, [META_URL]: this.whatsapp, [VOICE_URL]: this.voice },
    })
    const fleet = options.fleet ?? opened.fleet
    this.app = createApp(this.config, {
      clock: options.processClock ?? this.clock,
      random: this.random,
      vault: this.vault,
      store: this.store,
      fleet: fleet && { fleet: this.#countingFleet(fleet), name: 'a server' },
      transport: options.wrapTransport?.(transport) ?? transport,
      dial: HTTP_ONLY.dial,
      descriptors: { areShort: () => false },
      passwords: options.passwords ?? PLAIN_PASSWORDS,
      backups: () => options.backups ?? { made: [] },
      disk: options.disk,
      hooks: options.hooks ?? NOBODY_LISTENS,
      toOperator: options.toOperator ?? transportTo({}),
      mailer: options.mailer ?? NO_MAILER,
      log: this.#log(),
      telemetry: createTelemetry({ log: this.#log(), ...options.listeners }),
      metrics: options.metrics,
      schedule: (_pattern, run) => {
        this.#sweeps.push(run)
        return () => {}
      },
    })
  }

  /** Where it keeps its file; elsewhere than on SQLite there is none. */
  get dir(): string {
    return this.#filePlace.dir
  }

  get file(): string {
    return this.#filePlace.file
  }

  get #filePlace(): FilePlace {
    if (this.place instanceof FilePlace) return this.place
    throw new Error('There is no file: it is a promise of SQLite only')
  }

  /** All of it, with nothing running yet. */
  static async open(options: WorldOptions = {}): Promise<World> {
    const { place = await newPlace(), clock = new VirtualClock(START), seed = 1, soon, secret = SECRET } = options
    const random = seededRandom(seed)
    const { vault = createVault(Buffer.from(secret), (length) => random.bytes(length)) } = options
    const opened = await place.open({ clock, vault, ...(soon && { soon }) })
    return new World({ ...options, place, clock, random, vault, opened })
  }

  static async start(options: WorldOptions = {}): Promise<World> {
    const world = await World.open(options)
    await world.app.start()
    world.app.warmUp()
    // What it looks at when it starts it has seen: what a test does next it finds at its next look, however slow the machine is.
    await world.settle()
    if (isOfContract()) {
      described ??= describedBy(JSON.parse(JSON.stringify(await describeApi())))
      world.#assertDescribed = described
    }
    return world
  }

  /** An app with live and test keys, and both carriers. */
  async furnish(): Promise<Furnished> {
    const { appId, organizationId } = await administer.createApp(this.admin, { name: 'demo' })
    // Together they are one commit.
    const [live, test] = await Promise.all([
      this.key({ appId, kind: 'sk', mode: 'live' }),
      this.key({ appId, kind: 'sk', mode: 'test' }),
      this.provide('main', ['sms'], SMS_URL),
      this.provide('kakao', ['alimtalk'], KAKAO_URL),
      administer.addCredit(this.admin, { appId, amount: 1_000 }),
    ])
    return { appId, organizationId, live, test }
  }

  async provide(name: string, channels: Leg[], url: string, config: Record<string, unknown> = {}): Promise<void> {
    await administer.setCarrier(this.admin, {
      name,
      type: 'http',
      channels,
      config: { url, reports: true, reportSecret: REPORT_SECRET, ...config },
    })
  }

  /** The carrier of texts has one place, and works for ever on a message that has it: all others wait. */
  async crowd(key: string): Promise<void> {
    const config = { url: SMS_URL, reports: true, reportSecret: REPORT_SECRET }
    await administer.setCarrier(this.admin, { name: 'main', type: 'http', channels: ['sms'], config, concurrency: 1 })
    await this.advance(1_500)
    this.sms.script(() => new Promise(() => {}))
    const issue = (which: string) => {
      const request = { phoneNumber: `010-7777-000${which.length}`, purpose: which, idempotencyKey: which }
      return this.call('rest', 'issue', request, { key })
    }
    await issue('first')
    // The next one may wait for the place a moment, and nobody behind it.
    const second = issue('second')
    await this.advance(WAIT_FOR_SLOT_MS)
    await second
    await this.settle()
  }

  async key(wanted: {
    appId: string
    kind: KeyKind
    mode: Mode
    scopes?: string[]
    allowedOrigins?: string[]
    allowedCidrs?: string[]
    limits?: KeyLimits
    expiresAt?: number
  }): Promise<string> {
    return (await administer.createKey(this.admin, wanted)).key
  }

  get admin() {
    const { store, clock, random } = this
    const types = { assertCarrier, reportsBySecret }
    return { store, clock, random, vault: this.vault, actor: { name: 'test' }, ...types, node: ASLEEP }
  }

  /** Calls an operation over a wire. */
  async call(wire: Wire, operation: Operation, input: object | undefined, options: CallOptions = {}): Promise<Answer> {
    const { method = 'GET', path = '' } = contract[operation]['~orpc'].route
    if (wire === 'rpc') return this.send('POST', `/v1/rpc/otp/${operation}`, { json: input }, options)
    const rest = { ...input } as Record<string, unknown>
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(rest[name])
      delete rest[name]
      return encodeURIComponent(value)
    })
    if (method === 'POST') return this.send('POST', `/v1${filled}`, input, options)
    const query = new URLSearchParams(Object.entries(rest).map(([name, value]) => [name, String(value)]))
    return this.send('GET', `/v1${filled}${query.size > 0 ? `?${query}` : ''}`, undefined, options)
  }

  /** Any request; a string body is sent as it is. */
  async send(method: string, path: string, body: unknown, options: CallOptions = {}): Promise<Answer> {
    const headers = new Headers({
      ...(options.key !== undefined && { authorization: `Bearer ${options.key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
    })
    const raw = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
    const request = new Request(`http://localhost${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: raw as BodyInit }),
    })
    const response = await this.app.fetch(request, options.ip ?? '127.0.0.1')
    const text = await response.text()
    const parsed: Json = text === '' ? undefined : parse(text)
    const isRpc = path.startsWith('/v1/rpc/') && parsed && typeof parsed === 'object' && 'json' in parsed
    const { status, headers: told } = response
    const answer = { status, headers: told, body: isRpc ? parsed.json : parsed }
    this.#assertDescribed({ method, path: new URL(request.url).pathname, ...answer })
    return answer
  }

  /** What a carrier that has to be asked calls. */
  callback(provider: string, body: unknown): Promise<Answer> {
    return this.send('POST', `/provider-reports/${provider}`, body, { headers: { 'x-solapi-secret': REPORT_SECRET } })
  }

  /** A carrier reports on a message it took. */
  report(
    provider: string,
    report: { messageId: string; status: string; code?: string; errorText?: string },
    secret = REPORT_SECRET,
  ): Promise<Answer> {
    return this.send('POST', `/provider-reports/${provider}`, report, {
      headers: { authorization: `Bearer ${secret}` },
    })
  }

  /** Lets virtual time pass, with everything that happens in it. */
  async advance(ms: number): Promise<void> {
    let left = ms
    for (;;) {
      await this.settle()
      const { fired, passedMs } = this.clock.fireNext(left)
      left -= passedMs
      if (!fired) break
    }
    await this.settle()
  }

  /** The same for hours, in which something stored is due now and then: nobody looks in vain in between. */
  async leap(ms: number): Promise<void> {
    const until = this.clock.elapsed() + ms
    while (this.clock.elapsed() < until) {
      await this.advance(Math.min(LOOKED_EVERY_MS, until - this.clock.elapsed()))
      const [next] = await this.rows<{ at: number | null }>(NEXT_DUE)
      const spare = (next?.at ?? Number.POSITIVE_INFINITY) - this.clock.now() - LOOKED_EVERY_MS
      this.clock.leap(Math.max(0, Math.min(spare, until - this.clock.elapsed())))
    }
    await this.advance(0)
  }

  /** Lets time pass until `work` is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    work.then(
      () => {
        isDone = true
      },
      () => {
        isDone = true
      },
    )
    for (;;) {
      await this.settle()
      if (isDone) return work
      this.clock.fireNext(60_000)
    }
  }

  /** Waits until nothing happens any more without time passing. */
  async settle(): Promise<void> {
    if (this.#isTimed) {
      // Commits wait for virtual time here, so all that can happen without it are microtasks.
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
      return
    }
    for (let quiet = 0; quiet < 3; ) {
      await new Promise((resolve) => setImmediate(resolve))
      quiet = this.#inFlight === 0 ? quiet + 1 : 0
      // Whoever kept looking would take the database's time.
      if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#answered.push(resolve))
    }
  }

  async sweep(): Promise<void> {
    for (const run of this.#sweeps) await run()
  }

  /** Reads the database as an operator would, behind the app's back. */
  rows<T = Record<string, Json>>(sql: string, ...parameters: Parameter[]): Promise<T[]> {
    return this.place.rows<T>(sql, ...parameters)
  }

  /** Changes the database behind the app's back, as another release has left it. */
  write(sql: string, ...parameters: Parameter[]): Promise<void> {
    return this.place.write(sql, ...parameters)
  }

  /** Drains as SIGTERM does; a carrier that never answers is left behind, as a killed process leaves it. */
  async stop(): Promise<void> {
    let isStopped = false
    const stopping = this.app.stop().then(() => {
      isStopped = true
    })
    for (let second = 0; second < 60 && !isStopped; second++) {
      await this.settle()
      this.clock.fireNext(1_000)
    }
    if (isStopped) await stopping
    await this.place.remove()
    if (this.violations.size > 0) throw new Error(`Locks are taken in one order: ${[...this.violations].join(', ')}`)
  }

  #log(): Log {
    const write = (level: string) => (fields: object, message: string) => {
      this.logged.push(JSON.stringify({ level, ...fields, message }))
    }
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  }

  /** The store, whose transactions and reads are counted while they are not answered. */
  #counting(store: Store): Store {
    return {
      ...store,
      read: countedReads(store.read, this.#counted),
      lists: countedReads(store.lists, this.#counted),
      transaction: (work) => this.#counted(store.transaction(work)),
      assertWritable: () => this.#counted(store.assertWritable()),
      truncateLog: () => this.#counted(store.truncateLog()),
      close: () => this.#counted(store.close()),
    }
  }

  #countingFleet(fleet: Fleet): Fleet {
    return {
      nodeId: fleet.nodeId,
      heartbeat: (how) => this.#counted(fleet.heartbeat(how)),
      forget: (nodeId) => this.#counted(fleet.forget(nodeId)),
      acquire: async (rules) => {
        const permit = await this.#counted(fleet.acquire(rules))
        return { release: async () => this.#counted(Promise.resolve(permit.release())) }
      },
    }
  }
}

type Count = <T>(answer: Promise<T>) => Promise<T>

const countedReads = <Doors extends object>(doors: Doors, counted: Count): Doors =>
  new Proxy(doors, {
    get(target, name) {
      // biome-ignore lint/suspicious/noExplicitAny: doors of whatever shape
      const door: any = Reflect.get(target, name)
      if (typeof door !== 'function') return countedReads(door, counted)
      return (...args: unknown[]) => {
        const answer = door.apply(target, args)
        return answer instanceof Promise ? counted(answer) : countedPages(answer, counted)
      }
    },
  })

async function* countedPages<T>(pages: AsyncIterable<T>, counted: Count): AsyncIterable<T> {
  const each = pages[Symbol.asyncIterator]()
  try {
    for (let page = await counted(each.next()); !page.done; page = await counted(each.next())) yield page.value
  } finally {
    await each.return?.()
  }
}

/** How often the app looks for what is due. */
const LOOKED_EVERY_MS = 1_000
const NEXT_DUE = `SELECT min(at) AS at FROM (
  SELECT run_at AS at FROM jobs UNION ALL SELECT expires_at FROM issues WHERE verification_status = 'issued') AS due`

export const SMS_URL = 'http://carrier.test/sms'
export const KAKAO_URL = 'http://carrier.test/kakao'
export const BACKUP_URL = 'http://carrier.test/backup'
export const WHATSAPP_URL = 'http://carrier.test/whatsapp'
/** Messages of the type `whatsapp`, by the phone number ID 12345. */
export const META_URL = 'http://carrier.test/12345/messages'
export const VOICE_URL = 'http://carrier.test/voice'

export interface Furnished {
  appId: string
  organizationId: string
  live: string
  test: string
}

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
