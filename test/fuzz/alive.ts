/** A thread of the server: counts how long its process was alive. A pause of all of it counts for little. */
import { ALIVE, ALIVE_IN, shared } from './probe'

const EVERY_MS = 10
/** Where a turn comes later than this, the whole process had none. */
const AT_MOST_MS = 5 * EVERY_MS

const numbers = shared(process.env[ALIVE_IN] ?? '')
let last = performance.now()
setInterval(() => {
  const now = performance.now()
  numbers[ALIVE] = (numbers[ALIVE] ?? 0) + Math.min(now - last, AT_MOST_MS)
  last = now
}, EVERY_MS)
