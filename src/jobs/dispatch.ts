/** Messages whose issue finds a place at their carrier: begun in its unit, and gone on with as soon as that is stored. */
import type { Dispatch } from '../ports/work'
import { complete, type PerformDependencies } from './perform'
import type { Runner } from './runner'
import type { Seats } from './seats'

interface DispatchDependencies extends PerformDependencies {
  runner: Pick<Runner, 'hasRoom' | 'expect' | 'run'>
  seats: Seats
}

export const createDispatch = ({ runner, seats, ...deps }: DispatchDependencies): Dispatch => ({
  passageBy(carrier) {
    if (!runner.hasRoom('deliver')) return undefined
    const seat = seats(carrier)
    if (seat?.carrier !== carrier) {
      seat?.free()
      return undefined
    }
    const decided = runner.expect('deliver')
    return {
      seat,
      carryOn(job, work, call) {
        runner.run(job, { run: (held) => complete(deps, work, held, call), free: () => seat.free() })
        decided()
      },
      giveUp() {
        seat.free()
        decided()
      },
    }
  },
})
