/**
 * Ports for programs that cannot be given 0. They lie below those that the kernel gives away by itself: one of those may
 * become somebody's own end of a connection meanwhile, and whoever looks whether anybody listens there may meet itself.
 */
const [FIRST, COUNT] = [20_000, 12_000]
/** Files that run beside each other begin at different ones. */
const EACH = 32

let next = (process.pid * EACH) % COUNT

export function freePort(): number {
  for (let tries = 0; tries < COUNT; tries++) {
    const port = FIRST + next
    next = (next + 1) % COUNT
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
      return port
    } catch {
      // Somebody has it.
    }
  }
  throw new Error('No port is free')
}
