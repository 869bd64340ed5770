/**
 * Ports for programs that cannot be given 0. They lie below those that the kernel gives away by itself: one of those may
 * become somebody's own end of a connection meanwhile, and whoever looks whether anybody listens there may meet itself.
 *
 * Whether a port is free is seen by listening there for a moment. Another test that waits for its server at that port would take
 * this for the server, so each process has ports of its own: it holds the number of its share by listening there until it ends.
 */
const SHARE = 32
const [FIRST_LOCK, FIRST, SHARES] = [19_000, 20_000, 375]

let ports: number[] = []

export function freePort(): number {
  for (;;) {
    if (ports.length === 0) ports = nextShare()
    const port = ports.shift()
    if (port !== undefined && isFree(port)) return port
  }
}

function nextShare(): number[] {
  for (let tries = 0; tries < SHARES; tries++) {
    const share = (process.pid + tries) % SHARES
    const lock = listenAt(FIRST_LOCK + share)
    if (!lock) continue
    lock.unref()
    return Array.from({ length: SHARE }, (_, n) => FIRST + share * SHARE + n)
  }
  throw new Error('No port is free')
}

function isFree(port: number): boolean {
  const listener = listenAt(port)
  listener?.stop(true)
  return listener !== undefined
}

function listenAt(port: number) {
  try {
    return Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } })
  } catch {
    return undefined
  }
}
