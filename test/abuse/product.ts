/** The product itself, in this process: HTTP, limits, rules, database, carriers; time is virtual. */

import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/shared/value'
import * as administer from '../../src/usecases/administer'
import { Carrier, codeIn } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import type { Answer, Operation, WorldOptions } from '../support/world'
import { World } from '../support/world'
import { LIFETIME_SEC, vault } from './made'
import type { Asked, Refused, Sent, Service } from './service'
import type { Begin, Open } from './simulate'

const ORIGIN = 'https://app.example.com'
/** What a schedule does in a server. */
const SWEPT_EVERY_MS = 10 * MINUTE_MS
/** More than any world spends. */
const CREDIT = 1_000_000

/** How it is run. */
interface Running {
  /** Beside each other on one database, which is PostgreSQL then; whoever asks comes to each in turn. */
  readonly servers?: number
  /** All of them are killed then, and started again; milliseconds after the beginning. */
  readonly killedAfterMs?: number
  /**
   * How often a server does what it does every second. More seldom finds out later, and never sooner: a day of seconds takes
   * longer than all that is asked in it.
   */
  readonly lookedEveryMs?: number
}

const USUAL = { servers: 1, killedAfterMs: Number.POSITIVE_INFINITY, lookedEveryMs: 5 * SECOND_MS }

interface Message {
  readonly code: string
  readonly messageId: string
}

export class ProductService implements Service {
  readonly #messages = new Map<string, Message>()
  #read = 0
  #asked = 0
  #lookAt: number
  readonly #seen: number[] = []

  private constructor(
    private servers: Server[],
    private readonly keys: Readonly<Partial<Record<Asked['kind'], string>>>,
    private readonly running: Required<Running>,
    private killAt: number,
  ) {
    this.#lookAt = Math.ceil(this.#clock.now() / running.lookedEveryMs) * running.lookedEveryMs
  }

  static async open({ world: played, past, from, seed }: Begin, how: Running = {}): Promise<ProductService> {
    const running = { ...USUAL, ...how }
    const first = await Server.open({ clock: new VirtualClock(from), seed, vault, carriers: newCarriers() })
    const { world } = first
    const { appId, live } = await world.furnish()
    await administer.addCredit(world.admin, { appId, amount: CREDIT })
    await administer.protectApp(world.admin, appId, { open: played.open ?? [] })
    const pk = await world.key({ appId, kind: 'pk', mode: 'live', allowedOrigins: [ORIGIN] })
    // Two weeks would take hours to live through: what they would have left is stored instead.
    await world.store.transaction(async (tx) => {
      await tx.traffic.saveHours(appId, past.hours)
      for (const issue of past.lastDay) await tx.issues.add({ ...issue, appId, billingStatus: 'released' })
    })
    const others = await Promise.all(Array.from({ length: running.servers - 1 }, (_, n) => first.beside(seed + n + 1)))
    const servers = [first, ...others]
    for (const server of servers) await server.start()
    return new ProductService(servers, { sk: live, pk }, running, from + running.killedAfterMs)
  }

  async until(at: number): Promise<void> {
    for (; this.#lookAt <= at; this.#lookAt += this.running.lookedEveryMs) await this.#look()
    this.#clock.leap(Math.max(0, at - this.#clock.now()))
    for (const server of this.servers)
      for (const line of server.newLines())
        if (/codes that nobody types|more codes than a cap allows/.test(line)) this.#seen.push(this.#clock.now())
  }

  /** All that is due by then. */
  async #look(): Promise<void> {
    this.#clock.leap(Math.max(0, this.#lookAt - this.#clock.now()))
    if (this.#lookAt >= this.killAt) await this.#killAll()
    for (const { world } of this.servers) await world.advance(0)
    if (this.#lookAt % SWEPT_EVERY_MS !== 0) return
    for (const { world } of this.servers) await world.run(world.sweep())
  }

  async #killAll(): Promise<void> {
    this.killAt = Number.POSITIVE_INFINITY
    this.#clock.forgetTimers()
    const killed = this.servers
    this.servers = []
    for (const [n, server] of killed.entries()) this.servers.push(await server.beside(1_000 + n))
    for (const server of this.servers) await server.start()
  }

  async issue(asked: Asked): Promise<Sent | Refused> {
    const { kind, phone } = asked
    const request = {
      phoneNumber: phone,
      purpose: 'login',
      idempotencyKey: `key-${this.#asked++}`,
      expiresInSec: LIFETIME_SEC,
    }
    const { status, body, headers } = await this.#call('issue', request, asked)
    if (status === 200) return { issueId: body.issueId, phone, kind, price: this.#any.config.prices.sms }
    const after = headers.get('retry-after')
    return {
      limit: body.data?.limit ?? String(status),
      retryAfterMs: body.data?.retryAfterMs ?? (after === null ? undefined : Number(after) * 1_000),
    }
  }

  async verify({ issueId, phone, kind }: Sent): Promise<void> {
    const code = this.#messageTo(phone)?.code
    await this.#call('verify', { issueId, code }, { kind, address: '203.0.113.250' })
  }

  async arrived({ phone }: Sent): Promise<void> {
    const messageId = this.#messageTo(phone)?.messageId
    if (messageId) await this.#any.run(this.#any.report('main', { messageId, status: 'delivered' }))
  }

  async incidents(): Promise<number[]> {
    return this.#seen
  }

  async stop(): Promise<void> {
    for (const { world } of this.servers) await world.stop()
  }

  get #clock(): VirtualClock {
    return this.#any.clock
  }

  get #any(): World {
    return this.#inTurn(0)
  }

  #inTurn(n: number): World {
    const server = this.servers[n % this.servers.length]
    if (!server) throw new Error('no server is there')
    return server.world
  }

  #call(operation: Operation, input: object, { kind, address }: Pick<Asked, 'kind' | 'address'>): Promise<Answer> {
    const [ip, headers] =
      kind === 'pk' ? [address, { origin: ORIGIN }] : ['192.0.2.1', { 'x-watchword-client-ip': address }]
    const world = this.#inTurn(this.#asked)
    return world.run(world.call('rest', operation, input, { key: this.keys[kind], ip, headers }))
  }

  /** The newest. */
  #messageTo(phone: string): Message | undefined {
    const { requests } = this.#any.sms
    for (; this.#read < requests.length; this.#read++) {
      const message = requests[this.#read]
      if (message) this.#messages.set(message.to, { code: codeIn(message.text), messageId: message.messageId })
    }
    return this.#messages.get(phone)
  }
}

const newCarriers = () => ({ sms: new Carrier(), kakao: new Carrier() })

/** One of them, and how much of its log was read. */
class Server {
  #logged = 0

  private constructor(readonly world: World) {}

  static async open(options: WorldOptions): Promise<Server> {
    return new Server(await World.open(options))
  }

  /** Another one of the same installation. */
  beside(seed: number): Promise<Server> {
    const { place, clock, sms, kakao } = this.world
    return Server.open({ place, clock, seed, carriers: { sms, kakao } })
  }

  async start(): Promise<void> {
    await this.world.run(this.world.app.start())
    this.world.app.warmUp()
  }

  newLines(): string[] {
    const lines = this.world.logged.slice(this.#logged)
    this.#logged = this.world.logged.length
    return lines
  }
}

export const product: Open = (begin) => ProductService.open(begin)
/** As often as a server looks. */
export const productEverySecond: Open = (begin) => ProductService.open(begin, { lookedEveryMs: SECOND_MS })
export const KILLED_AFTER_HOURS = 0.2
export const killedOnce: Open = (begin) => ProductService.open(begin, { killedAfterMs: KILLED_AFTER_HOURS * HOUR_MS })
export const byTwoServers: Open = (begin) => ProductService.open(begin, { servers: 2 })
