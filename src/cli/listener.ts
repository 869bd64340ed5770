/** Listens on the address of a server and explains a port that is taken. */
import type { Config } from '../config'
import { ROUTE_PATTERNS } from '../http/route-table'
import type { Fetch } from '../http/routes'
import { hasInheritedSocket } from '../system/inherited-socket'
import type { WatchedDescriptors } from '../system/listen'
import { type Listener, listen } from '../system/listen'
import { Failure } from './output'

interface Listening {
  fetch: Fetch
  descriptors: WatchedDescriptors
}

/** Throws a `Failure` if the port is taken, or if the socket of the service manager has another port. */
export function listenFor(config: Config, { fetch, descriptors }: Listening): Listener {
  const { host, port } = config
  const common = { host, port, fetch, routePatterns: ROUTE_PATTERNS, descriptors }
  if (hasInheritedSocket(process.env)) return listenOnInherited(common)
  const ways = { setting: 'WATCHWORD_HOST', another: (other: number) => `--port ${other}` }
  return listeningAt({ host, port }, ways, () => listen(common))
}

function listenOnInherited(options: Parameters<typeof listen>[0]): Listener {
  // The code that calls the C library is loaded only if a socket is inherited.
  const { onInheritedSocket } = require('../system/inherited-socket') as typeof import('../system/inherited-socket')
  const listener = listen({ ...options, onSocket: onInheritedSocket })
  if (listener.port === options.port) return listener
  const ways = 'Give both the same one: ListenStream= of watchword.socket, or the setting'
  const message = `The socket of systemd listens on port ${listener.port}, and WATCHWORD_PORT is ${options.port}. ${ways}.`
  throw new Failure('port_mismatch', message)
}

interface Address {
  host: string
  port: number
}

/**
 * Explains why nothing can listen at an address. `setting` names the setting of the address, `another` the option or variable for
 * another port.
 */
export function listeningAt<T>(
  { host, port }: Address,
  { setting, another }: { setting: string; another: (port: number) => string },
  begin: () => T,
): T {
  try {
    return begin()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    if (code !== 'EADDRINUSE')
      throw new Failure('cannot_listen', `${setting}: cannot listen on ${host} port ${port} (${code})`)
    const other = port === 65_535 ? 8787 : port + 1
    throw new Failure('port_in_use', `Port ${port} is in use; choose another: ${another(other)}`)
  }
}
