/**
 * Deterministic simulation: the real app, twice over one database, under virtual time, with carriers, clients, crashes
 * and clock steps drawn from a seed. The same seed tells the same story, so a failure is its seed.
 */
import { CHANNELS, EVENT_TYPES, type Leg } from '../../contract/constants'
import type { PlannedLeg } from '../../src/domain/delivery/plan'
import { unavailable } from '../../src/domain/shared/error'
import type { Clock } from '../../src/ports/clock'
import type { HookAnswer, HookRequest, HookTransport, Transport, TransportResult } from '../../src/ports/network'
import type { Store } from '../../src/ports/store'
import * as administer from '../../src/usecases/administer'
import { answered, Carrier, codeIn, type ReceivedMessage } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { FilePlace } from '../support/place'
import { PolledVendor, VENDOR_URL } from '../support/polled-vendor'
import { type SeededRandom, seededRandom } from '../support/random'
import { Receivers, receives, verified } from '../support/receiver'
import {
  type Answer,
  BACKUP_URL,
  type Furnished,
  KAKAO_URL,
  REPORT_SECRET,
  SMS_URL,
  START,
  VOICE_URL,
  WHATSAPP_URL,
  WIRES,
  type Wire,
  World,
} from '../support/world'
import { Invariants } from './invariants'
import { Model, type ModelIssue } from './model'

/** Whose number somebody says it is: nobody's, the right one or another's. By the id, so that a seed tells the story it told before. */
function claimedFor({ issueId, phone }: ModelIssue): string | undefined {
  const others = PHONES.filter((other) => other !== phone)
  return [undefined, phone, phone, others[0]][Number.parseInt(issueId.slice(-1), 16) % 4]
}

/** How long the carrier keeps the answer of a message back, so that its report may come first. */
const ANSWERS_LATE_MS = 8_000
const mayBeOvertaken = ({ messageId }: ReceivedMessage) => Number.parseInt(messageId.slice(-1), 16) % 8 === 0

export interface Sabotage {
  store?: (store: Store) => Store
  transport?: (transport: Transport) => Transport
  hooks?: (hooks: HookTransport) => HookTransport
}

export class SimulationFailure extends Error {
  override name = 'SimulationFailure'
  constructor(
    readonly seed: number,
    reason: string,
    readonly trace: readonly string[],
  ) {
    super(`seed ${seed}: ${reason}\n${trace.slice(-60).join('\n')}`)
  }
}

const PHONES = ['010-1111-1111', '010-2222-2222', '+44 7911 120000']
const PURPOSES = ['login', 'signup']
const STEPS = 60
const NODES = 2
const OWN_HOOK = 'https://own.example/hooks'
const FOREIGN_HOOK = 'https://foreign.example/hooks'

/** `hasPlan`: codes go by a delivery plan of one to four legs, and the clock is never set. */
export async function simulate(seed: number, sabotage: Sabotage = {}, hasPlan = false): Promise<string[]> {
  const story = new Story(seed, sabotage, hasPlan)
  try {
    await story.tell()
    return story.trace
  } finally {
    story.end()
  }
}

/** A process: the app, and a switch that kills it between any two events. */
class Node {
  isAlive = true
  constructor(readonly world: World) {}
}

class Story {
  readonly trace: string[] = []
  readonly #random: SeededRandom
  readonly #clock = new VirtualClock(START)
  readonly #carriers = {
    ...{ sms: new Carrier(), kakao: new Carrier(), backup: new Carrier() },
    ...{ whatsapp: new Carrier(), voice: new Carrier() },
  }
  #legs: readonly PlannedLeg[] = []
  readonly #vendor = new PolledVendor(this.#carriers.sms)
  readonly #model = new Model()
  readonly #receivers = new Receivers(this.#clock.now)
  #hookSecret = ''
  /** Codes as the end users read them, by issue. */
  readonly #codes = new Map<string, string>()
  #nodes: Node[] = []
  #keys!: Furnished
  #invariants!: Invariants
  readonly #place = new FilePlace()
  #started = 0
  #made = 0
  #faults = true
  readonly #reports: boolean
  /** The first SMS carrier has to be asked what became of a message. */
  readonly #isPolled: boolean

  constructor(
    readonly seed: number,
    readonly sabotage: Sabotage,
    readonly hasPlan: boolean,
  ) {
    this.#random = seededRandom(seed)
    this.#reports = this.#random.chance(0.7)
    this.#isPolled = this.#random.chance(0.3)
    this.#carriers.backup.answer = (message) => this.#carrierAnswers(this.#carriers.backup, 'backup', message)
    this.#receivers.answer = (request) => this.#receiverAnswers(request)
    this.#carriers.sms.answer = (message) => this.#carrierAnswers(this.#carriers.sms, 'main', message)
    this.#carriers.kakao.answer = (message) => this.#carrierAnswers(this.#carriers.kakao, 'kakao', message)
    this.#carriers.whatsapp.answer = (message) => this.#carrierAnswers(this.#carriers.whatsapp, 'meta', message)
    this.#carriers.voice.answer = (message) => this.#carrierAnswers(this.#carriers.voice, 'caller', message)
  }

  async tell(): Promise<void> {
    this.#faults = false
    const first = await this.#startNode()
    this.#nodes.push(first)
    this.#keys = await first.world.run(first.world.furnish())
    await this.#provideCarriers(first.world)
    if (this.hasPlan) await this.#plan(first.world)
    await this.#listen(first.world)
    while (this.#nodes.length < NODES) this.#nodes.push(await this.#startNode())
    const plans = CHANNELS.map((channel) => ({ channel, legs: this.#legs }))
    this.#invariants = new Invariants(this.#place.file, Object.values(this.#carriers), plans)
    this.#faults = true
    for (let step = 0; step < STEPS; step++) {
      await this.#step()
      this.#check(this.#invariants.broken())
    }
    await this.#finish()
  }

  /** Two for SMS, in this order, and one for AlimTalk. */
  async #provideCarriers(world: World): Promise<void> {
    const polled = {
      type: 'solapi',
      config: {
        apiKey: 'key',
        apiSecret: 'secret',
        from: '0212345678',
        apiBase: VENDOR_URL,
        reportSecret: REPORT_SECRET,
      },
    }
    const reporting = (url: string) => ({
      type: 'http',
      config: { url, reports: this.#reports, reportSecret: REPORT_SECRET },
    })
    for (const provider of [
      { name: 'main', channels: ['sms' as const], ...(this.#isPolled ? polled : reporting(SMS_URL)) },
      { name: 'backup', channels: ['sms' as const], ...reporting(BACKUP_URL) },
      { name: 'kakao', channels: ['alimtalk' as const], ...reporting(KAKAO_URL) },
    ]) {
      await world.run(administer.setCarrier(world.admin, provider))
    }
    const carriers = ['main', 'backup']
    await world.run(
      administer.setRoute(world.admin, { channel: 'sms', country: undefined, appId: undefined, carriers }),
    )
  }

  /** One to four legs in any order, with any waits, for both channels that callers ask for. */
  async #plan(world: World): Promise<void> {
    const { appId } = this.#keys
    await world.run(world.provide('meta', ['whatsapp'], WHATSAPP_URL, { reports: this.#reports }))
    await world.run(world.provide('caller', ['voice'], VOICE_URL, { reports: this.#reports }))
    for (const country of ['KR', 'GB', 'GG'])
      await world.run(
        administer.setRoute(world.admin, { channel: 'voice', country, appId: undefined, carriers: ['caller'] }),
      )
    const left = ['whatsapp', 'sms', 'voice', 'alimtalk'] as Leg[]
    const channels = Array.from({ length: 1 + this.#random.below(4) }, () => {
      const [channel = 'sms'] = left.splice(this.#random.below(left.length), 1)
      return channel
    })
    this.#legs = channels.map((channel, at) => {
      const waits = at < channels.length - 1 && this.#random.chance(0.9)
      return { channel, ...(waits && { waitSec: 1 + this.#random.below(20) }) }
    })
    for (const channel of CHANNELS)
      await world.run(administer.setPlan(world.admin, appId, { channel, country: undefined, legs: this.#legs }))
  }

  /** One endpoint that is told of everything, and two that must hear nothing of it. */
  async #listen(world: World): Promise<void> {
    const { appId } = this.#keys
    const other = await world.run(administer.createApp(world.admin, { name: 'other' }))
    const wanted = { appId, mode: 'live', url: OWN_HOOK, events: EVENT_TYPES } as const
    this.#hookSecret = (await world.run(administer.addEndpoint(world.admin, wanted))).secret
    await world.run(administer.addEndpoint(world.admin, { ...wanted, mode: 'test', url: FOREIGN_HOOK }))
    await world.run(administer.addEndpoint(world.admin, { ...wanted, appId: other.appId, url: FOREIGN_HOOK }))
  }

  end(): void {
    this.#invariants?.close()
    for (const node of this.#nodes) node.isAlive = false
    void this.#place.remove()
  }

  async #step(): Promise<void> {
    const { chance } = this.#random
    if (chance(0.3)) return this.#issue()
    if (chance(0.35)) return this.#verify()
    if (chance(0.15)) return this.#replay()
    if (chance(0.2)) return this.#status()
    if (chance(0.2)) return this.#race()
    if (chance(0.15)) return this.#crash()
    if (!this.hasPlan && chance(0.1)) return this.#stepClock()
    return this.#passTime(this.#random.below(this.#random.chance(0.1) ? 200_000 : 6_000))
  }

  // ── what clients do ────────────────────────────────────────────────────────────────────────────

  async #issue(): Promise<void> {
    const { pick } = this.#random
    const request = {
      phoneNumber: pick(PHONES),
      purpose: pick(PURPOSES),
      channel: pick(['sms', 'sms', 'alimtalk'] as const),
      expiresInSec: pick([30, 180, 600]),
      maxAttempts: pick([1, 2, 5]),
      smsFallback: this.#random.chance(0.8),
    }
    await this.#issueWith(`key-${this.#made++}`, request)
  }

  async #issueWith(
    idempotencyKey: string,
    request: { phoneNumber: string; purpose: string; maxAttempts: number },
  ): Promise<void> {
    const text = JSON.stringify(request)
    const answer = await this.#until200((world, wire) =>
      world.call(wire, 'issue', { ...request, idempotencyKey }, { key: this.#keys.live }),
    )
    this.#note(
      `issue ${idempotencyKey} ${request.phoneNumber} ${request.purpose} → ${answer.status} ${answer.body.issueId ?? answer.body.message}`,
    )
    // From ten wrong codes in a row on a phone has to wait.
    if (answer.body.data?.limit === 'failures' && this.#model.wrongCodesAt(request.phoneNumber) >= 10) return
    this.#check(answer.status === 200 ? undefined : `issue must be admitted: ${JSON.stringify(answer.body)}`)
    const { issueId, expiresAt, queuedAt } = answer.body
    const madeWay = this.#model.issued(
      idempotencyKey,
      text,
      {
        issueId,
        phone: request.phoneNumber,
        purpose: request.purpose,
        expiresAt: Date.parse(expiresAt),
        maxAttempts: request.maxAttempts,
      },
      answer.body,
      Date.parse(queuedAt),
    )
    // Where the clock went back over an expiry, only the store knows whether the sweep came first.
    for (const issue of madeWay)
      if (issue.mayBeExpired) issue.status = this.#stored(issue.issueId)?.status ?? issue.status
  }

  /** The same key again: the same answer, a conflict after replacement, a conflict for another payload. */
  async #replay(): Promise<void> {
    const [idempotencyKey, claim] = this.#random.pick([...this.#model.claims]) ?? []
    if (!idempotencyKey || !claim) return
    const isOther = this.#random.chance(0.3)
    const request = { ...JSON.parse(claim.request), ...(isOther && { purpose: 'other' }) }
    const answer = await this.#until200((world, wire) =>
      world.call(wire, 'issue', { ...request, idempotencyKey }, { key: this.#keys.live }),
    )
    const isReplaced = this.#model.issues.get(claim.issueId)?.status === 'replaced'
    this.#note(`replay ${idempotencyKey}${isOther ? ' with another payload' : ''} → ${answer.status}`)
    this.#check(
      answer.status === (isOther || isReplaced ? 409 : 200)
        ? undefined
        : `replay answered ${answer.status} ${JSON.stringify(answer.body)}`,
    )
    if (answer.status === 200)
      this.#check(
        Bun.deepEquals(answer.body, claim.answer) ? undefined : 'a replay must answer with the original response',
      )
  }

  async #verify(): Promise<void> {
    const issue = this.#random.pick([...this.#model.issues.values()])
    if (!issue) return
    const known = this.#codes.get(issue.issueId)
    const isRight = known !== undefined && this.#random.chance(0.4)
    const code = isRight ? known : this.#wrongCode(known)
    const before = { ...issue }
    const startedAt = this.#clock.now()
    const claimed = claimedFor(issue)
    const attempt = { issueId: issue.issueId, code, ...(claimed !== undefined && { phoneNumber: claimed }) }
    const answer = await this.#until200((world, wire) => world.call(wire, 'verify', attempt, { key: this.#keys.live }))
    const isProven = answer.body.proof !== undefined
    this.#check(
      isProven === (answer.body.verified && claimed === issue.phone)
        ? undefined
        : `${isProven ? 'a' : 'no'} proof for who claims ${claimed} of a code for ${issue.phone}`,
    )
    this.#note(
      `verify ${issue.issueId} ${isRight ? 'right' : 'wrong'} → ${answer.body.verified} ${answer.body.reasonCode ?? ''}`,
    )
    const got = {
      verified: answer.body.verified,
      ...(answer.body.reasonCode && { reasonCode: answer.body.reasonCode }),
    }
    // The sweep may have stored the expiry before the clock went back over it.
    if (issue.status === 'issued' && got.reasonCode === 'EXPIRED' && issue.mayBeExpired) return
    // Within the call the expiry may have passed: either side of it is right.
    const late = JSON.stringify(this.#model.verify(issue.issueId, isRight, this.#clock.now()))
    if (late === JSON.stringify(got)) return this.#checkAttempts(issue.issueId, answer)
    Object.assign(issue, before)
    const early = JSON.stringify(this.#model.verify(issue.issueId, isRight, startedAt))
    this.#check(
      early === JSON.stringify(got) ? undefined : `verify answered ${JSON.stringify(got)}, the model ${early}`,
    )
    this.#checkAttempts(issue.issueId, answer)
  }

  #checkAttempts(issueId: string, answer: Answer): void {
    const issue = this.#model.issues.get(issueId)
    const expected = issue && issue.maxAttempts - issue.attemptsUsed
    this.#check(
      answer.body.attemptsRemaining === expected
        ? undefined
        : `attemptsRemaining ${answer.body.attemptsRemaining}, the model ${expected}`,
    )
  }

  async #status(): Promise<void> {
    const issue = this.#random.pick([...this.#model.issues.values()])
    if (!issue) return
    const before = this.#model.effectiveStatus(issue.issueId, this.#clock.now())
    const answer = await this.#until200((world, wire) =>
      world.call(wire, 'status', { issueId: issue.issueId }, { key: this.#keys.live }),
    )
    const allowed = [
      before,
      this.#model.effectiveStatus(issue.issueId, this.#clock.now()),
      ...(issue.status === 'issued' && issue.mayBeExpired ? ['expired'] : []),
    ]
    this.#note(`status ${issue.issueId} → ${answer.body.verificationStatus} ${answer.body.deliveryStatus}`)
    this.#check(
      allowed.includes(answer.body.verificationStatus)
        ? undefined
        : `status ${JSON.stringify(answer.body)}, the model ${allowed}`,
    )
  }

  /** Many at once over both nodes: attempts are counted exactly, one success at most, one issue for one key. */
  async #race(): Promise<void> {
    const issue = this.#random.pick([...this.#model.issues.values()])
    if (!issue) return
    const known = this.#codes.get(issue.issueId)
    const isRight = known !== undefined && this.#random.chance(0.5)
    const code = isRight ? known : this.#wrongCode(known)
    const before = { status: this.#model.effectiveStatus(issue.issueId, this.#clock.now()), used: issue.attemptsUsed }
    const calls = Array.from({ length: 8 }, () =>
      this.#until200((world, wire) =>
        world.call(wire, 'verify', { issueId: issue.issueId, code }, { key: this.#keys.live }),
      ),
    )
    const answers = await this.#run(Promise.all(calls))
    const verified = answers.filter(({ body }) => body.verified).length
    const mismatches = answers.filter(({ body }) => body.reasonCode === 'MISMATCH').length
    this.#note(
      `race of 8 ${isRight ? 'right' : 'wrong'} on ${issue.issueId}: ${verified} verified, ${mismatches} mismatches`,
    )
    this.#check(
      verified <= (isRight && before.status === 'issued' ? 1 : 0) ? undefined : `${verified} verified at once`,
    )
    this.#check(
      mismatches <= Math.max(0, issue.maxAttempts - before.used - 1) ? undefined : `${mismatches} mismatches at once`,
    )
    this.#adopt(issue.issueId)
  }

  /** Where the order of events is not ours to know, the model takes over what is stored, within what is allowed. */
  #adopt(issueId: string): void {
    const issue = this.#model.issues.get(issueId)
    const stored = this.#stored(issueId)
    if (!issue || !stored) return
    this.#check(
      issue.status !== 'issued' && stored.status !== issue.status
        ? `${issue.status} became ${stored.status}`
        : undefined,
    )
    this.#check(stored.attemptsUsed < issue.attemptsUsed ? 'attempts came back' : undefined)
    Object.assign(issue, stored)
  }

  #stored(issueId: string): Pick<ModelIssue, 'status' | 'attemptsUsed'> | undefined {
    return this.#place.query<Pick<ModelIssue, 'status' | 'attemptsUsed'>>(
      'SELECT verification_status AS status, attempts_used AS attemptsUsed FROM issues WHERE issue_id = ?',
      Buffer.from(issueId.replaceAll('-', ''), 'hex'),
    )[0]
  }

  #wrongCode(right: string | undefined): string {
    const code = String(this.#random.below(1_000_000)).padStart(6, '0')
    return code === right ? this.#wrongCode(right) : code
  }

  /** A client that retries what may be retried, with the same key, on whichever node answers. */
  async #until200(call: (world: World, wire: Wire) => Promise<Answer>): Promise<Answer> {
    for (let tries = 0; tries < 25; tries++) {
      const answer = await this.#run(call(this.#anyWorld(), this.#random.pick(WIRES)))
      if (answer.status !== 503) return answer
    }
    throw this.#failure('the service stays unavailable')
  }

  // ── what the outside does ──────────────────────────────────────────────────────────────────────

  #carrierAnswers(carrier: Carrier, provider: string, message: ReceivedMessage): Promise<TransportResult> {
    const accept = () => {
      const result = carrier.accept(message)
      this.#reportLater(provider, message)
      return result
    }
    const unknown = { kind: 'unknown', reason: 'TimeoutError' } as const
    const acceptAndAnswer = (answer: TransportResult) => {
      accept()
      return answer
    }
    const answers: Array<() => TransportResult> = this.#faults
      ? [
          accept,
          accept,
          accept,
          accept,
          () => answered(429, {}),
          () => answered(400, { code: 'NO_SENDER' }),
          () => answered(401, {}),
          () => answered(403, {}),
          () => answered(500, {}),
          () => ({ kind: 'not_sent', reason: 'ECONNREFUSED' }),
          () => unknown,
          () => acceptAndAnswer(unknown),
          () => acceptAndAnswer(answered(500, {})),
          () => acceptAndAnswer(answered(200, 'garbage')),
        ]
      : [accept]
    this.#readCode(message)
    const answer = this.#random.pick(answers)
    const delayMs = this.#random.chance(0.05) ? 35_000 : this.#random.below(2_000)
    return new Promise((resolve) =>
      this.#clock.after(delayMs, () => {
        const answered = answer()
        if (mayBeOvertaken(message)) this.#clock.after(ANSWERS_LATE_MS, () => resolve(answered))
        else resolve(answered)
      }),
    )
  }

  /** Receivers lose answers, are slow, and are down now and then. */
  #receiverAnswers({ url }: HookRequest): Promise<HookAnswer> {
    this.#check(url === OWN_HOOK ? undefined : `${url} is told of what is not its own`)
    const lost = { kind: 'failed', reason: 'timeout' } as const
    const answers: HookAnswer[] = this.#faults
      ? [receives(200), receives(204), receives(200), receives(500), receives(429, { retryAfter: '20' }), lost]
      : [receives(200)]
    const answer = this.#random.pick(answers)
    const delayMs = this.#random.chance(0.1) ? 4_900 : this.#random.below(500)
    return new Promise((resolve) => this.#clock.after(delayMs, () => resolve(answer)))
  }

  /** End users read their phones: the newest issue of a message's number is found by its `messageId`. */
  #readCode(message: ReceivedMessage): void {
    const [row] = this.#place.query<{ issue_id: Uint8Array }>(
      'SELECT issue_id FROM attempts WHERE message_id = ?',
      Buffer.from(message.messageId.replaceAll('-', ''), 'hex'),
    )
    if (!row) return
    const hex = Buffer.from(row.issue_id).toString('hex')
    const issueId = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
    const known = this.#codes.get(issueId)
    const code = codeIn(message.text)
    this.#check(known === undefined || known === code ? undefined : 'every leg carries the same code')
    this.#codes.set(issueId, code)
  }

  #reportLater(provider: string, { messageId }: ReceivedMessage): void {
    const status = this.#random.chance(0.8) ? 'delivered' : 'failed'
    const isPolled = provider === 'main' && this.#isPolled
    if (isPolled && this.#random.chance(0.9))
      this.#clock.after(this.#random.below(20_000), () => this.#vendor.decide(`carrier-${messageId}`, status))
    const send = (state: string) => {
      if (isPolled) {
        const body = this.#vendor.callback(messageId, `carrier-${messageId}`, state)
        this.#clock.after(this.#random.below(20_000), () => void this.#anyWorld().callback(provider, body))
        return
      }
      const id = this.#random.chance(0.5) ? messageId : `carrier-${messageId}`
      this.#clock.after(
        this.#random.below(20_000),
        () => void this.#anyWorld().report(provider, { messageId: id, status: state }),
      )
    }
    if (this.#faults && this.#random.chance(0.1)) return
    send(status)
    if (this.#random.chance(0.2)) send(status)
    if (this.#random.chance(0.1)) send(status === 'failed' ? 'delivered' : 'failed')
  }

  /** A node dies between two events, perhaps with a call in the air, and comes back on the same database. */
  async #crash(): Promise<void> {
    const victim = this.#random.below(this.#nodes.length)
    const node = this.#nodes[victim] as Node
    const issue = this.#random.pick([...this.#model.issues.values()])
    if (issue && this.#random.chance(0.5)) {
      void node.world.call(
        'rest',
        'verify',
        { issueId: issue.issueId, code: this.#wrongCode(this.#codes.get(issue.issueId)) },
        { key: this.#keys.live },
      )
    }
    for (let events = this.#random.below(12); events > 0; events--) {
      await node.world.settle()
      this.#clock.fireNext(1_000)
    }
    node.isAlive = false
    this.#note(`node ${victim} is killed`)
    this.#nodes[victim] = await this.#startNode()
    if (issue) this.#adopt(issue.issueId)
  }

  async #stepClock(): Promise<void> {
    const byMs = this.#random.pick([-3_600_000, -5_000, 5_000, 60_000, 3_600_000])
    this.#note(`the clock steps by ${byMs} ms`)
    this.#clock.step(byMs)
    if (byMs < 0) this.#model.setBack(-byMs)
    this.#model.passTime(this.#clock.now())
    // It is noticed at the next transaction; each process makes one every second.
    await this.#passTime(1_100)
  }

  async #passTime(ms: number, how: 'advance' | 'leap' = 'advance'): Promise<void> {
    await this.#anyWorld()[how](ms)
    this.#model.passTime(this.#clock.now())
    this.#note(`${ms} ms pass`)
  }

  /** Faults stop, time runs, and nothing may be left unfinished. */
  async #finish(): Promise<void> {
    this.#faults = false
    await this.#passTime(60_000, 'leap')
    this.#clock.step(2 * 3_600_000)
    await this.#passTime(60_000, 'leap')
    this.#clock.step(26 * 3_600_000)
    await this.#passTime(90_000, 'leap')
    this.#check(this.#invariants.broken())
    this.#check(this.#invariants.unfinished())
    await this.#checkWebhooks()
    const logged = this.#nodes.flatMap(({ world }) => world.logged).join('\n')
    for (const code of this.#codes.values())
      this.#check(logged.includes(`"${code}"`) ? 'a code reached the log' : undefined)
    for (const phone of ['1011111111', '1022222222', '7911120000'])
      this.#check(logged.includes(phone) ? 'a number reached the log' : undefined)
  }

  /** Every event arrived, or is logged as given up; each was signed, in its issue's order, and private. */
  async #checkWebhooks(): Promise<void> {
    const arrived = this.#receivers.arrived
    for (const request of arrived) {
      const reason = await verified(request, this.#hookSecret).then(
        () => undefined,
        (error: { reason?: string }) => `a webhook does not verify: ${error.reason}`,
      )
      this.#check(reason)
      for (const phone of ['11111111', '22222222', '11120000'])
        this.#check(request.body.includes(phone) ? 'a number reached a receiver' : undefined)
      for (const code of this.#codes.values())
        this.#check(request.body.includes(`"${code}"`) ? 'a code reached a receiver' : undefined)
    }
    const order = [...new Set(arrived.map(({ body }) => JSON.parse(body).id as string))]
    this.#check(this.#invariants.untold(order))
  }

  // ── the stage ──────────────────────────────────────────────────────────────────────────────────

  async #startNode(): Promise<Node> {
    // Opening writes, and a node in the middle of a commit would be waited for on this very thread.
    await this.#nodes[0]?.world.settle()
    const clock = this.#clock
    const random = this.#random
    let node: Node | undefined
    const isAlive = () => node?.isAlive ?? true
    const processClock: Clock = {
      now: clock.now,
      elapsed: clock.elapsed,
      after: (ms, callback) => clock.after(ms, () => isAlive() && callback()),
    }
    const mortal = (store: Store): Store => ({
      ...store,
      transaction: async (work) => {
        if (!isAlive()) throw unavailable('This process is dead')
        if (this.#faults && random.chance(0.02)) throw unavailable('The database is busy')
        return store.transaction(work)
      },
    })
    const world = await World.open({
      seed: this.seed * 1_000 + this.#started++,
      clock,
      processClock,
      carriers: this.#carriers,
      place: this.#place,
      env: {
        WATCHWORD_LIMIT_ISSUES_PER_PHONE_10_MIN: '100000',
        WATCHWORD_LIMIT_ISSUES_PER_PHONE_DAY: '100000',
        WATCHWORD_LIMIT_REQUESTS_PER_KEY_PER_MIN: '100000',
      },
      soon: (drain) => void processClock.after(random.below(4), drain),
      wrapStore: (store) => mortal(this.sabotage.store?.(store) ?? store),
      hooks: this.sabotage.hooks?.(this.#receivers) ?? this.#receivers,
      wrapTransport: (transport) => {
        const all = this.#vendor.over(transport)
        return this.sabotage.transport?.(all) ?? all
      },
    })
    node = new Node(world)
    await world.run(world.app.start())
    world.app.warmUp()
    return node
  }

  #anyWorld(): World {
    return (this.#random.pick(this.#nodes) as Node).world
  }

  async #run<T>(work: Promise<T>): Promise<T> {
    const result = await (this.#nodes[0] as Node).world.run(work)
    this.#model.passTime(this.#clock.now())
    return result
  }

  #note(line: string): void {
    this.trace.push(`${new Date(this.#clock.now()).toISOString()} ${line}`)
  }

  #check(reason: string | undefined): void {
    if (reason !== undefined) throw this.#failure(reason)
  }

  #failure(reason: string): SimulationFailure {
    return new SimulationFailure(this.seed, reason, this.trace)
  }
}

/** The first seed that tells of a broken promise. */
export async function firstFailure(
  seeds: readonly number[],
  sabotage: Sabotage = {},
  hasPlan = false,
): Promise<unknown> {
  for (const seed of seeds) {
    const failure = await simulate(seed, sabotage, hasPlan).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (failure !== undefined) return failure
  }
  return undefined
}
