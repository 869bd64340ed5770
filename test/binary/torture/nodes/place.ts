/** Where one of the servers runs: whenever it ends, another one is started, as whoever runs services does. */

import { until } from '../../../support/until'
import type { Program } from '../../support'
import { Victim } from '../victim'

const AGAIN_MS = 200
/** Longer than what runs may take where its database is away. */
const DRAINED_WITHIN_MS = 60_000

export class Place {
  readonly found: string[] = []
  #server: Victim | undefined
  #isTold = false
  #isClosed = true
  #running: Promise<void> = Promise.resolve()
  #killed: Victim | undefined

  constructor(
    private readonly name: string,
    private readonly program: Program,
    private readonly log: string,
  ) {}

  /** Where the server listens that is there now, if one does. */
  get url(): string | undefined {
    return this.#server?.isAlive ? this.#server.url : undefined
  }

  open(): void {
    this.#isClosed = false
    this.#running = this.#run()
  }

  listening(): Promise<void> {
    return until(() => this.url !== undefined, `${this.name} to listen`)
  }

  async kill(): Promise<void> {
    this.#isTold = true
    this.#killed = this.#server
    await this.#server?.stop('SIGKILL')
  }

  async drain(): Promise<void> {
    const server = this.#server
    if (server?.url === undefined) return
    this.#isTold = true
    const slow = Bun.sleep(DRAINED_WITHIN_MS).then(() => 'nothing')
    const exitCode = await Promise.race([server.stop('SIGTERM'), slow])
    if (server.isAlive) await server.stop('SIGKILL')
    // One that was killed while it drained has not ended by that.
    if (exitCode !== 0 && this.#killed !== server) this.found.push(`SIGTERM ended ${this.name} with ${exitCode}`)
  }

  /** Nothing is started there any more. */
  async close(how: 'drain' | 'kill'): Promise<void> {
    this.#isClosed = true
    await this[how]()
    if (this.#server?.isAlive) await this.kill()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      this.#isTold = false
      const server = Victim.spawn(this.program, this.log)
      this.#server = server
      const exitCode = await server.ended()
      if (this.#isTold) continue
      // Without a database none begins; whoever has begun goes on without it.
      if (server.url !== undefined) this.found.push(`${this.name} ended by itself, with ${exitCode}`)
      await Bun.sleep(AGAIN_MS)
    }
  }
}
