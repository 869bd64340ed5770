/** What a service manager such as systemd says to the process that it starts, by the environment. */

export class InheritedSocketError extends Error {
  override name = 'InheritedSocketError'
}

/** Whether a listening socket was handed over to this process. Throws `InheritedSocketError` where it was not one. */
export function hasInheritedSocket(env: Record<string, string | undefined>): boolean {
  if (env.LISTEN_PID !== String(process.pid)) return false
  if (env.LISTEN_FDS === '1') return true
  throw new InheritedSocketError(`The service manager handed ${env.LISTEN_FDS} sockets over; one is expected.`)
}
