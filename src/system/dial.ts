/** TCP and TLS streams to carriers that do not speak HTTP. */
import type { Socket } from 'node:net'
import { isIP } from '../domain/access/network'
import type { Dial } from '../ports/network'

/** Loaded with the first connection, so that a start does not wait. */
const plain = () => process.getBuiltinModule('node:net')
const secure = () => process.getBuiltinModule('node:tls')

export const systemDial: Dial = ({ host, port, tls }, { opened, received, closed }) => {
  let reason = 'closed'
  const socket: Socket = tls
    ? secure().connect({
        host,
        port,
        // TLS asks for names only, not for addresses.
        ...(isIP(host) === 0 && { servername: host }),
        ...(tls.ca !== undefined && { ca: tls.ca }),
        rejectUnauthorized: true,
      })
    : plain().connect({ host, port })
  socket.setNoDelay(true)
  socket.once(tls ? 'secureConnect' : 'connect', opened)
  socket.on('data', received)
  socket.on('error', (error: Error & { code?: unknown }) => {
    reason = typeof error.code === 'string' ? error.code : error.name
  })
  socket.once('close', () => closed(reason))
  return {
    write: (bytes) => void socket.write(bytes),
    unwrittenBytes: () => socket.writableLength,
    destroy: () => void socket.destroy(),
  }
}
