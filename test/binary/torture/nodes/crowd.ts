/** Many who ask for codes for one phone at once, by all servers: as many get one as a phone may have, and no more. */

import type { Clients } from '../../../../src/conformance/clients'
import type { SeededRandom } from '../../../support/random'

export const PER_PHONE = 5
const AT_ONCE = 9
const PAUSE_MS = 1_000

export class Crowd {
  /** Issues that were made. */
  issued = 0
  rounds = 0
  readonly found: string[] = []
  #isRunning = true
  #running: Promise<void> = Promise.resolve()

  constructor(
    private readonly random: SeededRandom,
    private readonly clients: Pick<Clients, 'persist'>,
  ) {}

  start(): void {
    this.#running = this.#run()
  }

  async finish(): Promise<void> {
    this.#isRunning = false
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#isRunning) {
      await this.#ask(++this.rounds)
      await Bun.sleep(this.random.below(PAUSE_MS))
    }
  }

  async #ask(round: number): Promise<void> {
    const n = String(30_000_000 + round)
    const phoneNumber = `010-${n.slice(0, 4)}-${n.slice(4)}`
    const keys = Array.from({ length: AT_ONCE }, (_, index) => `crowd-${round}-${index}`)
    const answers = await Promise.all(
      keys.map((idempotencyKey) =>
        this.clients.persist('/v1/issue', { phoneNumber, purpose: 'login', idempotencyKey }),
      ),
    )
    const statuses = answers.map(({ answer }) => answer.status).sort()
    // A key whose answer was lost and whose issue was replaced meanwhile is told so.
    const made = statuses.filter((status) => status === 200 || status === 409).length
    const limited = statuses.filter((status) => status === 429).length
    this.issued += made
    if (made !== PER_PHONE || limited !== AT_ONCE - PER_PHONE)
      this.found.push(`of ${AT_ONCE} for one phone (round ${round}) the answers were ${statuses.join(' ')}`)
  }
}
