/** Messages whose issue finds a place at their carrier: begun in its unit, and gone on with as soon as that is stored. */
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

/** A carrier whose last answer took no longer: its places are taken for a moment only. */
const QUICK_MS = 250
/** How long an issue waits for a place at one: whoever is queued costs twice as much, and keeps all others queued. */
export const PATIENCE_MS = 100
/** So that a crowd is queued. */
const MAX_WAITING = 256

interface WaitingMessage {
  carrier: string
  settle(reservedSlot: CarrierReservation | undefined): void
}

export function createDispatch({ runner, slots, limiters, ...deps }: DispatchDependencies): Dispatch {
  const waiting = new Set<WaitingMessage>()
  const quick = new Set<string>()

  function enter(carrier: string): CarrierReservation | undefined {
    // Of one that was removed meanwhile there is none, and it would look for another.
    const slot = limiters.find(carrier) && slots.take(carrier)
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
        settle(reservedSlot: CarrierReservation | undefined) {
          waiting.delete(one)
          cancel()
          resolve(reservedSlot)
        },
      }
      const cancel = deps.clock.after(PATIENCE_MS, () => {
        // It has begun to hang, perhaps: until it answers soon again nobody waits.
        quick.delete(carrier)
        one.settle(undefined)
      })
      waiting.add(one)
    })

  /** Who has waited for longest comes first; what is queued comes before all of them. */
  slots.whenFreed((carrier, tookMs) => {
    if (carrier !== undefined && tookMs !== undefined) {
      if (tookMs <= QUICK_MS) quick.add(carrier)
      else quick.delete(carrier)
    }
    if (waiting.size === 0) return
    const full = new Set<string>()
    for (const one of waiting) {
      const isInVain = !runner.hasRoom('deliver') || !limiters.find(one.carrier)
      const reservedSlot = isInVain || full.has(one.carrier) ? undefined : enter(one.carrier)
      if (reservedSlot || isInVain) one.settle(reservedSlot)
      else full.add(one.carrier)
    }
  })

  return {
    reserve(carrier) {
      if (!runner.hasRoom('deliver')) return undefined
      const reservedSlot = isAwaited(carrier) ? undefined : enter(carrier)
      // Where other servers have all its places, none becomes free here.
      const mayWait = waiting.size < MAX_WAITING && quick.has(carrier) && limiters.find(carrier)?.isAllowedHere
      return reservedSlot ?? (mayWait ? waitFor(carrier) : undefined)
    },
  }
}
