/** Slots of messages. The message of a new issue is sent at once where its carrier has a free slot: it goes out when the issue is stored. */

import type { Health } from '../domain/delivery/carrier'
import type { SendOutcome } from '../domain/delivery/delivery'
import { FRONT } from '../domain/operations/job'
import { errorFields } from '../domain/shared/error'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { CarrierPermit, CarrierSlot, ConcurrencyLimiter, ConcurrencyLimiters, Slot } from '../ports/node'
import type { CarrierReservation, Dispatch } from '../ports/work'
import { makeCall, type PerformDependencies, type Runner } from './runner'

/**
 * Slots for work, acquired before a job is claimed.
 *
 * A number of slots, which may change.
 */
export class Semaphore {
  #taken = 0

  constructor(private readonly max: () => number) {}

  get isEmpty(): boolean {
    return this.#taken === 0
  }

  acquire(): Slot | undefined {
    if (this.#taken >= this.max()) return undefined
    this.#taken++
    let isTaken = true
    return {
      release: () => {
        if (isTaken) this.#taken--
        isTaken = false
      },
    }
  }
}

export const fixedSemaphore = (max: number) => new Semaphore(() => max)

/** Slots for each queue. A slot also counts among all queues together, and in the semaphores of `alsoIn`. */
export function slotsPerQueue(
  maxOf: (queue: string) => number,
  maxTogether: number,
  alsoIn: (queue: string) => readonly Semaphore[] = () => [],
): (queue: string) => Slot | undefined {
  const all = fixedSemaphore(maxTogether)
  const byQueue = new Map<string, Semaphore>()
  return (queue) => {
    const own = byQueue.get(queue) ?? new Semaphore(() => maxOf(queue))
    const slot = acquireAll([own, ...alsoIn(queue), all])
    if (!slot) return undefined
    byQueue.set(queue, own)
    return {
      release() {
        slot.release()
        if (own.isEmpty) byQueue.delete(queue)
      },
    }
  }
}

/** A slot of each semaphore, or of none. */
function acquireAll(semaphores: readonly Semaphore[]): Slot | undefined {
  const taken: Slot[] = []
  const release = () => {
    for (const slot of taken) slot.release()
  }
  for (const semaphore of semaphores) {
    const slot = semaphore.acquire()
    if (!slot) {
      release()
      return undefined
    }
    taken.push(slot)
  }
  return { release }
}

/** Messages whose carrier is not chosen yet. A message that is being sent counts at its carrier instead. */
const MAX_UNASSIGNED = 256

/** Slots of messages: acquired when a job is claimed, moved to its carrier, and released. */
export interface CarrierSlots {
  /** A slot for one more message of a queue: at the carrier it waits for, or among those without a carrier yet. */
  acquire(queue: string): CarrierSlot | undefined
  /** Calls at each release. `tookMs` is how long the carrier took to answer, where the message was answered. */
  onRelease(listener: (carrier: string | undefined, tookMs: number | undefined) => void): void
}

export function createCarrierSlots({
  limiters,
  clock,
}: {
  limiters: ConcurrencyLimiters
  clock: Pick<Clock, 'now'>
}): CarrierSlots {
  const unassigned = new Semaphore(() => MAX_UNASSIGNED)
  const listeners: Array<Parameters<CarrierSlots['onRelease']>[0]> = []
  const released: Parameters<CarrierSlots['onRelease']>[0] = (carrier, tookMs) => {
    for (const listener of listeners) listener(carrier, tookMs)
  }
  return {
    acquire(queue) {
      const limiter = queue === FRONT ? undefined : limiters.find(queue)
      const now = clock.now()
      const slot = limiter ? limiter.acquire(now) : unassigned.acquire()
      return slot && new AcquiredCarrierSlot(limiter && queue, slot, released, now)
    },
    onRelease: (listener) => void listeners.push(listener),
  }
}

class AcquiredCarrierSlot implements CarrierSlot {
  constructor(
    public carrier: string | undefined,
    private slot: Slot | CarrierPermit,
    private readonly released: Parameters<CarrierSlots['onRelease']>[0],
    private acquiredAt: number,
  ) {}

  moveTo(carrier: string, limiter: ConcurrencyLimiter, now: number): void {
    const permit = limiter.acquire(now)
    if (!permit) return
    this.slot.release()
    this.slot = permit
    this.carrier = carrier
    this.acquiredAt = now
  }

  settle(outcome: SendOutcome, at: number): Health | undefined {
    if (!('settle' in this.slot)) throw new Error('A message without a place at a carrier was sent')
    const health = this.slot.settle(outcome, at)
    this.released(this.carrier, at - this.acquiredAt)
    return health
  }

  release(): void {
    this.slot.release()
    this.released(this.carrier, undefined)
  }
}

interface DispatchDependencies extends PerformDependencies {
  runner: Pick<Runner, 'hasRoom' | 'expect'>
  log: Log
  slots: CarrierSlots
  limiters: Pick<ConcurrencyLimiters, 'find'>
  clock: Pick<Clock, 'now' | 'after'>
}

/** A carrier that answered as fast as this is worth waiting for: its slots become free soon. */
const QUICK_ANSWER_MS = 250
/** How long an issue waits for a slot. A queued message costs twice as much, and keeps those behind it queued. */
export const WAIT_FOR_SLOT_MS = 100
/** Above this, messages are queued instead of waiting in memory. */
const MAX_WAITING = 256

interface WaitingMessage {
  carrier: string
  settle(reservation: CarrierReservation | undefined): void
}

export function createDispatch({ runner, slots, limiters, ...deps }: DispatchDependencies): Dispatch {
  const waiting = new Set<WaitingMessage>()
  const quick = new Set<string>()
  /** Issues whose calls are made here. */
  const running = new Set<string>()

  function reserve(carrier: string): CarrierReservation | undefined {
    // A carrier may have been removed meanwhile; without this check the message would take an unassigned slot.
    const slot = limiters.find(carrier) && slots.acquire(carrier)
    if (!slot) return undefined
    const decided = runner.expect('deliver')
    return {
      slot,
      start(issueId, call) {
        running.add(issueId)
        void makeCall(deps, call)
          .catch((error) =>
            deps.log.error(errorFields(error), 'an answer was not stored; it is ambiguous after a while'),
          )
          .finally(() => {
            running.delete(issueId)
            slot.release()
            decided()
          })
      },
      release() {
        slot.release()
        decided()
      },
    }
  }

  function isAwaited(carrier: string): boolean {
    for (const one of waiting) if (one.carrier === carrier) return true
    return false
  }

  const waitFor = (carrier: string) =>
    new Promise<CarrierReservation | undefined>((resolve) => {
      const one = {
        carrier,
        settle(reservation: CarrierReservation | undefined) {
          waiting.delete(one)
          cancel()
          resolve(reservation)
        },
      }
      const cancel = deps.clock.after(WAIT_FOR_SLOT_MS, () => {
        // The carrier may hang: nobody waits for it until it answers quickly again.
        quick.delete(carrier)
        one.settle(undefined)
      })
      waiting.add(one)
    })

  /** The longest waiting message gets the slot first. Queued messages come before all of these. */
  slots.onRelease((carrier, tookMs) => {
    if (carrier !== undefined && tookMs !== undefined) {
      if (tookMs <= QUICK_ANSWER_MS) quick.add(carrier)
      else quick.delete(carrier)
    }
    if (waiting.size === 0) return
    const full = new Set<string>()
    for (const one of waiting) {
      const isInVain = !runner.hasRoom('deliver') || !limiters.find(one.carrier)
      const reservation = isInVain || full.has(one.carrier) ? undefined : reserve(one.carrier)
      if (reservation || isInVain) one.settle(reservation)
      else full.add(one.carrier)
    }
  })

  return {
    isRunning: (issueId) => running.has(issueId),
    reserve(carrier) {
      if (!runner.hasRoom('deliver')) return undefined
      const reservation = isAwaited(carrier) ? undefined : reserve(carrier)
      // Other servers may have all slots of the carrier: then none becomes free here.
      const mayWait = waiting.size < MAX_WAITING && quick.has(carrier) && limiters.find(carrier)?.isAllowedHere
      return reservation ?? (mayWait ? waitFor(carrier) : undefined)
    },
  }
}
