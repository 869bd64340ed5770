/** Carriers and receivers, who are slow, refuse, and lose answers; and the phones that get the messages. */
import type { HookAnswer, Transport, TransportResult } from '../../../src/ports/network'
import { answered, Carrier, codeIn, type ReceivedMessage } from '../../support/carrier'
import type { VirtualClock } from '../../support/clock'
import { isQuestion, PolledVendor, UNHEARD_OF } from '../../support/polled-vendor'
import type { SeededRandom } from '../../support/random'
import { Receivers, receives } from '../../support/receiver'

/** No answer comes later: src/domain/operations/job.ts. */
const CARRIER_TIMEOUT_MS = 10_000

/** How long the carrier keeps the answer of a message back, so that its report may come first. */
const ANSWERS_LATE_MS = 4_000
const mayBeOvertaken = ({ messageId }: ReceivedMessage) => Number.parseInt(messageId.slice(-1), 16) % 8 === 7

interface OutsideDependencies {
  clock: VirtualClock
  random: SeededRandom
  /** A carrier tells some server what became of a message. */
  report: (carrier: string, messageId: string, status: 'delivered' | 'failed') => void
  /** One that has to be asked says that something has become of it. */
  callback: (carrier: string, body: unknown) => void
}

const lost = { kind: 'unknown', reason: 'TimeoutError' } as const

/** Of a message, as the database has it. */
export interface Sent {
  messageId: string
  /** The carrier has said that it has it, and by which id. */
  isAccepted: boolean
  status: string
}

export class Outside {
  readonly carriers = { sms: new Carrier(), kakao: new Carrier(), backup: new Carrier() }
  readonly receivers: Receivers
  /** What phones have read, by message. */
  readonly codes = new Map<string, string>()
  hasFaults = true
  readonly #vendor = new PolledVendor(this.carriers.sms)
  /** The first SMS carrier has to be asked what became of a message. */
  readonly isPolled: boolean

  constructor(private readonly deps: OutsideDependencies) {
    this.isPolled = deps.random.chance(0.4)
    const { sms, kakao, backup } = this.carriers
    sms.answer = (message) => this.#answer(sms, 'main', message)
    kakao.answer = (message) => this.#answer(kakao, 'kakao', message)
    backup.answer = (message) => this.#answer(backup, 'backup', message)
    this.receivers = new Receivers(deps.clock.now)
    this.receivers.answer = () => this.#receive()
  }

  /** Its part of what servers reach. */
  over(transport: Transport): Transport {
    const vendor = this.#vendor.over(transport)
    return {
      request: (request) => (isQuestion(request) ? this.#tell(() => vendor.request(request)) : vendor.request(request)),
    }
  }

  /** What is stored of those whose carrier has to be asked, held against what it knows. `isTold`: it was asked for long enough. */
  contradicted(sent: readonly Sent[], isTold: boolean): string | undefined {
    for (const { messageId, isAccepted, status } of sent) {
      const fate = this.#vendor.fateOf(`carrier-${messageId}`)
      const isFinal = status === 'delivered' || status === 'failed'
      if (isFinal && status !== fate) return `${messageId} is ${status}, and its carrier says ${fate}`
      if (isTold && isAccepted && !isFinal && fate) return `${messageId} is ${fate}, and nobody has asked`
    }
    return undefined
  }

  #tell(ask: () => Promise<TransportResult>): Promise<TransportResult> {
    const { clock, random } = this.deps
    const unheard = async () => UNHEARD_OF
    const answers: Array<() => Promise<TransportResult>> = this.hasFaults
      ? [
          ...[ask, ask, ask, unheard],
          async () => answered(500, {}),
          async () => answered(200, 'garbage'),
          async () => ({ kind: 'not_sent', reason: 'ECONNREFUSED' }),
          async () => lost,
        ]
      : [ask]
    const answer = random.pick(answers)
    return new Promise((resolve) => clock.after(this.#slowly(), () => resolve(answer())))
  }

  #answer(carrier: Carrier, name: string, message: ReceivedMessage): Promise<TransportResult> {
    const { clock, random } = this.deps
    this.codes.set(message.messageId, codeIn(message.text))
    const accept = () => {
      const result = carrier.accept(message)
      this.#reportLater(name, message.messageId)
      return result
    }
    const answers: Array<() => TransportResult> = this.hasFaults
      ? [
          ...[accept, accept, accept, accept],
          () => answered(429, {}),
          () => answered(400, { code: 'NO_SENDER' }),
          () => ({ kind: 'not_sent', reason: 'ECONNREFUSED' }),
          () => lost,
          () => {
            accept()
            return lost
          },
        ]
      : [accept]
    const answer = random.pick(answers)
    return new Promise((resolve) =>
      clock.after(this.#slowly(), () => {
        const answered = answer()
        if (mayBeOvertaken(message)) clock.after(ANSWERS_LATE_MS, () => resolve(answered))
        else resolve(answered)
      }),
    )
  }

  #slowly(): number {
    const { random } = this.deps
    return random.chance(0.1) ? CARRIER_TIMEOUT_MS : random.below(1_500)
  }

  #reportLater(carrier: string, messageId: string): void {
    const { clock, random, report } = this.deps
    const status = random.chance(0.8) ? 'delivered' : 'failed'
    if (this.isPolled && carrier === 'main') {
      this.#decideLater(messageId, status)
      return
    }
    if (this.hasFaults && random.chance(0.2)) return
    const id = random.chance(0.5) ? messageId : `carrier-${messageId}`
    // Now and then twice, at the same moment.
    for (let times = random.chance(0.3) ? 2 : 1, at = random.below(8_000); times > 0; times--)
      clock.after(at, () => report(carrier, id, status))
  }

  /** Some are never decided; and what it says by itself may be wrong. */
  #decideLater(messageId: string, status: 'delivered' | 'failed'): void {
    const { clock, random, callback } = this.deps
    const id = `carrier-${messageId}`
    if (random.chance(0.9)) clock.after(random.below(20_000), () => this.#vendor.decide(id, status))
    const said = this.#vendor.callback(messageId, id, random.pick(['delivered', 'failed']))
    if (random.chance(0.6)) clock.after(random.below(20_000), () => callback('main', said))
  }

  #receive(): Promise<HookAnswer> {
    const { clock, random } = this.deps
    const lost = { kind: 'failed', reason: 'timeout' } as const
    const answers: HookAnswer[] = this.hasFaults ? [receives(200), receives(204), receives(500), lost] : [receives(200)]
    const answer = random.pick(answers)
    return new Promise((resolve) => clock.after(random.below(500), () => resolve(answer)))
  }
}
