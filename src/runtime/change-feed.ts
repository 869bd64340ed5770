/**
 * Tells open pages what has changed, within a second. Transactions are watched only while somebody follows, here or at
 * another server, so a code costs nothing more while nobody looks. Decisions: "Live pages".
 */
import type { ChangeTopic } from '../domain/operations/change'
import type { NodeState } from '../domain/operations/node'
import { unavailable } from '../domain/shared/error'
import { SECOND_MS } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import type { Changes } from '../ports/node'
import type { Store, Tx } from '../ports/store'

/** Two of these pass at most until a change at another server is told. */
const TICK_MS = 300
const HEARTBEAT_MS = 10 * SECOND_MS
const MOST_FOLLOWERS = 200

/** The methods that change what pages show. */
const WRITES: { [Door in keyof Tx]?: { topic: ChangeTopic; methods: ReadonlyArray<keyof Tx[Door]> } } = {
  issues: { topic: 'issues', methods: ['add', 'save'] },
  attempts: { topic: 'issues', methods: ['add', 'answer', 'noteReport'] },
  wallets: { topic: 'wallet', methods: ['save'] },
  endpoints: { topic: 'webhooks', methods: ['add', 'save', 'saveState', 'remove'] },
  hooks: { topic: 'webhooks', methods: ['add', 'save'] },
  carriers: { topic: 'carriers', methods: ['saveHealth'] },
  traffic: { topic: 'protection', methods: ['saveIncident', 'addDecisions'] },
  notices: { topic: 'notices', methods: ['add', 'save', 'saveMessage', 'saveWay', 'removeWay'] },
  people: { topic: 'people', methods: ['add', 'save', 'remove'] },
  sessions: { topic: 'people', methods: ['add', 'remove', 'removeOf'] },
  invitations: { topic: 'people', methods: ['add', 'remove', 'removeOf'] },
  audit: { topic: 'audit', methods: ['add'] },
}

interface Follower {
  topics: Set<ChangeTopic>
  wake: () => void
}

export class ChangeFeed implements Changes {
  readonly #followers = new Set<Follower>()
  #noted = new Set<ChangeTopic>()
  /** How often each topic has changed here while it was watched, for the other servers. */
  readonly counts: Partial<Record<ChangeTopic, number>> = {}
  /** The counts of the other servers, by server. */
  #others = new Map<string, NodeState['changes']>()
  #isFollowedElsewhere = false
  #settings: string | undefined
  #isTicking = false
  #isClosed = false

  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    /** Tells the other servers, and calls `learn` with what they say. */
    private readonly exchange: () => Promise<void> = async () => {},
  ) {}

  get isFollowed(): boolean {
    return this.#followers.size > 0
  }

  /** The store, whose transactions are watched while somebody follows. */
  watch(store: Store): Store {
    this.#readSettings = () => store.read.settingsVersion()
    return {
      ...store,
      transaction: (work) => {
        if (!this.isFollowed && !this.#isFollowedElsewhere) return store.transaction(work)
        let topics = new Set<ChangeTopic>()
        const begun = (tx: Tx) => {
          // It may run twice.
          topics = new Set()
          return work(noting(tx, topics))
        }
        return store.transaction(begun).then((answer) => {
          this.#note(topics)
          return answer
        })
      },
    }
  }
  #readSettings: () => Promise<string> = async () => ''

  #note(topics: ReadonlySet<ChangeTopic>): void {
    for (const topic of topics) {
      this.#noted.add(topic)
      this.counts[topic] = (this.counts[topic] ?? 0) + 1
    }
  }

  follow(signal: AbortSignal | undefined): AsyncGenerator<readonly ChangeTopic[], void> {
    if (this.#followers.size >= MOST_FOLLOWERS) throw unavailable('Too many open pages', HEARTBEAT_MS)
    return this.#changes(signal)
  }

  async *#changes(signal: AbortSignal | undefined): AsyncGenerator<readonly ChangeTopic[], void> {
    const follower: Follower = { topics: new Set(), wake() {} }
    const leave = () => follower.wake()
    signal?.addEventListener('abort', leave)
    if (!this.isFollowed) {
      // What has changed while nobody followed is no news to a page that is just opened.
      this.#settings = undefined
      void this.#lookAtSettings().catch(() => {})
    }
    this.#followers.add(follower)
    this.#begin()
    try {
      for (;;) {
        if (follower.topics.size === 0 && !this.#isClosed && !signal?.aborted)
          await new Promise<void>((resolve) => {
            const cancel = this.clock.after(HEARTBEAT_MS, resolve)
            follower.wake = () => {
              cancel()
              resolve()
            }
          })
        if (this.#isClosed || signal?.aborted) return
        const topics = [...follower.topics]
        follower.topics.clear()
        yield topics
      }
    } finally {
      signal?.removeEventListener('abort', leave)
      this.#followers.delete(follower)
    }
  }

  /** Ends every stream, so that pages look for another server. */
  close(): void {
    this.#isClosed = true
    for (const follower of this.#followers) follower.wake()
  }

  /** Takes in what the other servers have counted, and whether somebody follows there. */
  learn(others: readonly NodeState[]): void {
    const before = this.#others
    this.#others = new Map(others.map(({ nodeId, changes }) => [nodeId, changes]))
    this.#isFollowedElsewhere = others.some(({ isFollowed }) => isFollowed)
    if (this.isFollowed)
      for (const { nodeId, changes } of others)
        for (const [topic, count] of Object.entries(changes ?? {}) as Array<[ChangeTopic, number]>)
          if (before.has(nodeId) && count !== before.get(nodeId)?.[topic]) this.#noted.add(topic)
    this.#begin()
  }

  #begin(): void {
    if (this.#isTicking || this.#isClosed || (!this.isFollowed && !this.#isFollowedElsewhere)) return
    this.#isTicking = true
    this.clock.after(TICK_MS, () => {
      void this.#tick().finally(() => {
        this.#isTicking = false
        this.#begin()
      })
    })
  }

  async #tick(): Promise<void> {
    // While the database is away nothing is told; the next tick looks again.
    await this.exchange().catch(() => {})
    if (this.isFollowed) await this.#lookAtSettings().catch(() => {})
    const topics = this.#noted
    this.#noted = new Set()
    if (topics.size === 0) return
    for (const follower of this.#followers) {
      for (const topic of topics) follower.topics.add(topic)
      follower.wake()
    }
  }

  /** Settings are changed by commands, too, which are other processes. */
  async #lookAtSettings(): Promise<void> {
    const version = await this.#readSettings()
    if (this.#settings !== undefined && version !== this.#settings) this.#noted.add('settings')
    this.#settings = version
  }
}

/** The transaction, which notes the topics of its writes. */
const noting = (tx: Tx, topics: Set<ChangeTopic>): Tx =>
  new Proxy(tx, {
    get(target, door) {
      const methods = Reflect.get(target, door)
      const writes = WRITES[door as keyof Tx]
      if (!writes) return methods
      return new Proxy(methods as object, {
        get(doorOf, method) {
          if ((writes.methods as readonly PropertyKey[]).includes(method)) topics.add(writes.topic)
          return Reflect.get(doorOf, method)
        },
      })
    },
  })
