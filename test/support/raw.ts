/** A request as it is written, over a socket: what no client library would send. */
import { connect } from 'node:net'

/** Everything that comes back until the server closes, it is whole, or a given `patienceMs` has passed; a character for each byte. */
export function sendRaw(
  url: string,
  text: string | Uint8Array,
  patienceMs?: number,
  isWhole: (answer: string) => boolean = () => false,
): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    const end = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = patienceMs === undefined ? undefined : setTimeout(end, patienceMs)
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      if (isWhole(answer)) end()
    })
    socket.on('close', end)
    socket.on('error', (error: Error & { code?: string }) => (error.code === 'ECONNRESET' ? end() : reject(error)))
  })
}

/** A request without a body, after which the connection is closed. */
export const asking = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')
