/** Requests that nobody repeats, one after the other on connections that are kept: whatever of them is lost shows. */

import type { MortalServer } from '../../../src/conformance/clients'
import type { SeededRandom } from '../../support/random'

const LOOPS = 6
const PAUSE_MS = 30
/** Of nobody: a verify of it is answered, and changes nothing. */
const UNKNOWN = { issueId: '01900000-0000-7000-8000-000000000000', code: '123456' }

export class Pulse {
  beats = 0
  readonly found: string[] = []
  #isRunning = true
  #loops: Promise<void>[] = []

  constructor(
    private readonly random: SeededRandom,
    private readonly api: MortalServer,
  ) {}

  start(): void {
    this.#loops = Array.from({ length: LOOPS }, () => this.#run())
  }

  async finish(): Promise<void> {
    this.#isRunning = false
    await Promise.all(this.#loops)
  }

  async #run(): Promise<void> {
    for (; this.#isRunning; this.beats++) {
      // What fails for good, the front has found.
      const answer = await this.api.post('/v1/verify', UNKNOWN, 0).catch(() => undefined)
      if (answer && answer.body.reasonCode !== 'NOT_FOUND')
        this.found.push(`a verify of nothing was answered with ${answer.status} ${JSON.stringify(answer.body)}`)
      await Bun.sleep(this.random.below(PAUSE_MS))
    }
  }
}
