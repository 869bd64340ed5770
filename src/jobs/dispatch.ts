/** Sends the message of a new issue at once where its carrier has a free slot: the job starts when the issue is stored. */
import type { Clock } from '../ports/clock'
import type { ConcurrencyLimiters } from '../ports/node'
import type { CarrierReservation, Dispatch } from '../ports/work'
import type { CarrierSlots } from './carrier-slots'
import { complete, type PerformDependencies } from './perform'
import type { Runner } from './runner'

interface DispatchDependencies extends PerformDependencies {
  runner: Pick<Runner, 'hasRoom' | 'expect' | 'run'>
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

  function reserve(carrier: string): CarrierReservation | undefined {
    // A carrier may have been removed meanwhile; without this check the message would take an unassigned slot.
    const slot = limiters.find(carrier) && slots.acquire(carrier)
    if (!slot) return undefined
    const decided = runner.expect('deliver')
    return {
      slot,
      start(job, work, call) {
        runner.run(job, { run: (held) => complete(deps, work, held, call), release: () => slot.release() })
        decided()
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
    reserve(carrier) {
      if (!runner.hasRoom('deliver')) return undefined
      const reservation = isAwaited(carrier) ? undefined : reserve(carrier)
      // Other servers may have all slots of the carrier: then none becomes free here.
      const mayWait = waiting.size < MAX_WAITING && quick.has(carrier) && limiters.find(carrier)?.isAllowedHere
      return reservation ?? (mayWait ? waitFor(carrier) : undefined)
    },
  }
}
