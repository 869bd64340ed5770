/**
 * Tells systemd how the service is (`sd_notify`), by its own program `systemd-notify`: Bun has no datagram sockets of the local kind.
 * Does nothing where no service manager listens.
 */

export interface ServiceManager {
  /** Codes go out from now on. From here on the watchdog is fed for as long as `isAlive` says so. */
  ready(isAlive: () => boolean): void
  stopping(): void
}

/** Feeds within one period: one may come late on a busy machine. */
const FEEDS_PER_PERIOD = 3

export function serviceManager(env: Readonly<Record<string, string | undefined>>): ServiceManager {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: period, WATCHDOG_PID: watched = String(process.pid) } = env
  if (!socket) return { ready() {}, stopping() {} }
  const tell = (...states: string[]) => {
    try {
      // The message is about this process, not about the program that carries it.
      Bun.spawn(['systemd-notify', `--pid=${process.pid}`, ...states], {
        stdio: ['ignore', 'ignore', 'ignore'],
      }).unref()
    } catch {
      // Without the program systemd ends the start by itself, and says why.
    }
  }
  return {
    ready(isAlive) {
      tell('READY=1')
      const everyMs = Number(period) / 1_000 / FEEDS_PER_PERIOD
      if (!(everyMs > 0) || watched !== String(process.pid)) return
      // The timer shows that the event loop turns.
      setInterval(() => isAlive() && tell('WATCHDOG=1'), everyMs).unref()
    },
    stopping: () => tell('STOPPING=1'),
  }
}
