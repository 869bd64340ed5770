/** Carriers and receivers, who are slow, refuse, and lose answers; and the phones that get the messages. */
import type { HookAnswer, TransportResult } from '../../../src/ports/network'
import { answered, Carrier, codeIn, type ReceivedMessage } from '../../support/carrier'
import type { VirtualClock } from '../../support/clock'
import type { SeededRandom } from '../../support/random'
import { Receivers, receives } from '../../support/receiver'

/** No answer comes later: src/domain/job.ts. */
const CARRIER_TIMEOUT_MS = 10_000

interface OutsideDependencies {
  clock: VirtualClock
  random: SeededRandom
  /** A carrier tells some server what became of a message. */
  report: (carrier: string, messageId: string, status: 'delivered' | 'failed') => void
}

export class Outside {
  readonly carriers = { sms: new Carrier(), kakao: new Carrier(), backup: new Carrier() }
  readonly receivers: Receivers
  /** What phones have read, by message. */
  readonly codes = new Map<string, string>()
  hasFaults = true

  constructor(private readonly deps: OutsideDependencies) {
    const { sms, kakao, backup } = this.carriers
    sms.answer = (message) => this.#answer(sms, 'main', message)
    kakao.answer = (message) => this.#answer(kakao, 'kakao', message)
    backup.answer = (message) => this.#answer(backup, 'backup', message)
    this.receivers = new Receivers(deps.clock.now)
    this.receivers.answer = () => this.#receive()
  }

  #answer(carrier: Carrier, name: string, message: ReceivedMessage): Promise<TransportResult> {
    const { clock, random } = this.deps
    this.codes.set(message.messageId, codeIn(message.text))
    const accept = () => {
      const result = carrier.accept(message)
      this.#reportLater(name, message.messageId)
      return result
    }
    const lost = { kind: 'unknown', reason: 'TimeoutError' } as const
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
    return new Promise((resolve) => clock.after(this.#slowly(), () => resolve(answer())))
  }

  #slowly(): number {
    const { random } = this.deps
    return random.chance(0.1) ? CARRIER_TIMEOUT_MS : random.below(1_500)
  }

  #reportLater(carrier: string, messageId: string): void {
    const { clock, random, report } = this.deps
    if (this.hasFaults && random.chance(0.2)) return
    const status = random.chance(0.8) ? 'delivered' : 'failed'
    const id = random.chance(0.5) ? messageId : `carrier-${messageId}`
    // Now and then twice, at the same moment.
    for (let times = random.chance(0.3) ? 2 : 1, at = random.below(8_000); times > 0; times--)
      clock.after(at, () => report(carrier, id, status))
  }

  #receive(): Promise<HookAnswer> {
    const { clock, random } = this.deps
    const lost = { kind: 'failed', reason: 'timeout' } as const
    const answers: HookAnswer[] = this.hasFaults ? [receives(200), receives(204), receives(500), lost] : [receives(200)]
    const answer = random.pick(answers)
    return new Promise((resolve) => clock.after(random.below(500), () => resolve(answer)))
  }
}
