/** The product itself, in this process: HTTP, limits, rules, database, carriers; time is virtual. */

import { MINUTE_MS } from '../../src/domain/value'
import * as administer from '../../src/usecases/administer'
import { codeIn } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import type { Operation } from '../support/world'
import { type Answer, World } from '../support/world'
import { LIFETIME_SEC } from './made'
import type { Asked, Refused, Sent, Service } from './service'
import type { Begin } from './simulate'

const ORIGIN = 'https://app.example.com'
/** What a schedule does in a server. */
const SWEPT_EVERY_MS = 10 * MINUTE_MS
/** More than any world spends. */
const CREDIT = 1_000_000

interface Message {
  readonly code: string
  readonly messageId: string
}

export class ProductService implements Service {
  readonly #messages = new Map<string, Message>()
  #read = 0
  #asked = 0
  #logged = 0
  #sweepAt: number
  readonly #seen: number[] = []

  private constructor(
    readonly world: World,
    private readonly keys: Readonly<Record<Asked['kind'], string>>,
  ) {
    this.#sweepAt = Math.ceil(world.clock.now() / SWEPT_EVERY_MS) * SWEPT_EVERY_MS
  }

  static async open({ world: played, past, from, seed }: Begin): Promise<ProductService> {
    const world = await World.open({ clock: new VirtualClock(from), seed })
    const { appId, live } = await world.furnish()
    await administer.addCredit(world.admin, { appId, amount: CREDIT })
    await administer.protectApp(world.admin, appId, { open: played.open ?? [] })
    const pk = await world.key({ appId, kind: 'pk', mode: 'live', allowedOrigins: [ORIGIN] })
    // Two weeks would take hours to live through: what they would have left is stored instead.
    await world.store.transaction(async (tx) => {
      await tx.traffic.saveHours(appId, past.hours)
      for (const issue of past.lastDay) await tx.issues.add({ ...issue, appId, billingStatus: 'released' })
    })
    await world.run(world.app.start())
    return new ProductService(world, { sk: live, pk })
  }

  async until(at: number): Promise<void> {
    const { clock } = this.world
    for (; this.#sweepAt <= at; this.#sweepAt += SWEPT_EVERY_MS) {
      await this.world.advance(Math.max(0, this.#sweepAt - clock.now()))
      await this.world.run(this.world.sweep())
    }
    await this.world.advance(Math.max(0, at - clock.now()))
    for (const line of this.world.logged.slice(this.#logged))
      if (/codes that nobody types|more codes than a cap allows/.test(line)) this.#seen.push(clock.now())
    this.#logged = this.world.logged.length
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
    if (status === 200) return { issueId: body.issueId, phone, kind, price: this.world.config.prices.sms }
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
    if (messageId) await this.world.run(this.world.report('main', { messageId, status: 'delivered' }))
  }

  async incidents(): Promise<number[]> {
    return this.#seen
  }

  async stop(): Promise<void> {
    await this.world.stop()
  }

  #call(operation: Operation, input: object, { kind, address }: Pick<Asked, 'kind' | 'address'>): Promise<Answer> {
    const [ip, headers] =
      kind === 'pk' ? [address, { origin: ORIGIN }] : ['192.0.2.1', { 'x-watchword-client-ip': address }]
    return this.world.run(this.world.call('rest', operation, input, { key: this.keys[kind], ip, headers }))
  }

  /** The newest. */
  #messageTo(phone: string): Message | undefined {
    const { requests } = this.world.sms
    for (; this.#read < requests.length; this.#read++) {
      const message = requests[this.#read]
      if (message) this.#messages.set(message.to, { code: codeIn(message.text), messageId: message.messageId })
    }
    return this.#messages.get(phone)
  }
}

export const product = (begin: Begin): Promise<Service> => ProductService.open(begin)
