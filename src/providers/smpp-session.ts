/**
 * The session of this server, as long as it may have one: a carrier may allow fewer than there are servers, and then the
 * others have none until one of those is gone.
 */
import type { Clock } from '../ports/clock'
import type { SmppLink } from './smpp-link'

interface SessionDependencies {
  clock: Pick<Clock, 'after'>
  isOurs(): boolean
}

const LOOKED_EVERY_MS = 1_000

export class SmppSession {
  #link: SmppLink | undefined
  /** Sessions that are given up. Messages that went out over them may still be answered. */
  readonly #ending = new Set<Promise<void>>()
  #isClosed = false
  #cancelTimer = () => {}

  constructor(
    private readonly bind: () => SmppLink,
    private readonly deps: SessionDependencies,
  ) {
    this.#look()
  }

  submit(...submission: Parameters<SmppLink['submit']>): ReturnType<SmppLink['submit']> {
    return (
      this.#link?.submit(...submission) ??
      Promise.resolve({ kind: 'unwritten', bindStatus: undefined, wasBound: false })
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTimer()
    await Promise.all([this.#link?.close(), ...this.#ending])
  }

  #look(): void {
    if (this.#isClosed) return
    if (this.deps.isOurs()) this.#link ??= this.bind()
    else this.#giveUp()
    this.#cancelTimer = this.deps.clock.after(LOOKED_EVERY_MS, () => this.#look())
  }

  #giveUp(): void {
    if (!this.#link) return
    const ending = this.#link.close().finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
    this.#link = undefined
  }
}
