/** Places of messages: taken when a job is claimed, moved to its carrier, and freed, all of it here. */
import { FRONT } from '../domain/job'
import type { Clock } from '../ports/clock'
import type { Gates, Pass, Place, Seat } from '../ports/node'
import { Places } from './places'

/** Messages that look for their carrier; one that is being sent counts there instead. */
const LOOKING = 256

export interface Seats {
  /** Room for one more message of a queue: at the carrier it waits for, or among those that look for theirs. */
  take(queue: string): Seat | undefined
  /** Calls whenever one at a carrier has become free; `tookMs`: how long an answer took, where it is that. */
  whenFreed(look: (carrier: string | undefined, tookMs: number | undefined) => void): void
}

export function createSeats({ gates, clock }: { gates: Gates; clock: Pick<Clock, 'now'> }): Seats {
  const looking = new Places(() => LOOKING)
  const looks: Array<Parameters<Seats['whenFreed']>[0]> = []
  const freed: Parameters<Seats['whenFreed']>[0] = (...what) => {
    for (const look of looks) look(...what)
  }
  return {
    take(queue) {
      const gate = queue === FRONT ? undefined : gates.find(queue)
      const place = gate ? gate.enter(clock.now()) : looking.enter()
      return place && new TakenSeat(gate && queue, place, freed, clock.now())
    },
    whenFreed: (look) => void looks.push(look),
  }
}

class TakenSeat implements Seat {
  constructor(
    public carrier: string | undefined,
    private place: Place | Pass,
    private readonly freed: Parameters<Seats['whenFreed']>[0],
    private takenAt: number,
  ) {}

  moveTo(carrier: string, gate: Parameters<Seat['moveTo']>[1], now: number): void {
    const pass = gate.enter(now)
    if (!pass) return
    this.place.free()
    this.place = pass
    this.carrier = carrier
    this.takenAt = now
  }

  answered(...answer: Parameters<Pass['answered']>): ReturnType<Pass['answered']> {
    if (!('answered' in this.place)) throw new Error('A message without a place at a carrier was sent')
    const health = this.place.answered(...answer)
    const [, at] = answer
    this.freed(this.carrier, at - this.takenAt)
    return health
  }

  free(): void {
    this.place.free()
    this.freed(this.carrier, undefined)
  }
}
