/** Places of messages: taken when a job is claimed, moved to its carrier, and freed, all of it here. */
import { FRONT } from '../domain/job'
import type { Clock } from '../ports/clock'
import type { Gates, Pass, Place, Seat } from '../ports/node'
import { Places } from './places'

/** Messages that look for their carrier; one that is being sent counts there instead. */
const LOOKING = 256

/** Room for one more message of a queue: at the carrier it waits for, or among those that look for theirs. */
export type Seats = (queue: string) => Seat | undefined

export function createSeats({ gates, clock }: { gates: Gates; clock: Pick<Clock, 'now'> }): Seats {
  const looking = new Places(() => LOOKING)
  return (queue) => {
    const gate = queue === FRONT ? undefined : gates.find(queue)
    if (!gate) return seatAmong(looking.enter())
    const pass = gate.enter(clock.now())
    return pass && seatAt(queue, pass)
  }
}

const seatAmong = (place: Place | undefined): Seat | undefined => place && new TakenSeat(undefined, place)
const seatAt = (carrier: string, pass: Pass): Seat => new TakenSeat(carrier, pass)

class TakenSeat implements Seat {
  constructor(
    public carrier: string | undefined,
    private place: Place | Pass,
  ) {}

  moveTo(carrier: string, gate: Parameters<Seat['moveTo']>[1], now: number): void {
    const pass = gate.enter(now)
    if (!pass) return
    this.place.free()
    this.place = pass
    this.carrier = carrier
  }

  answered(...answer: Parameters<Pass['answered']>): ReturnType<Pass['answered']> {
    if (!('answered' in this.place)) throw new Error('A message without a place at a carrier was sent')
    return this.place.answered(...answer)
  }

  free(): void {
    this.place.free()
  }
}
