/**
 * Listens on a socket that the service manager hands over, as `sd_listen_fds` of systemd does: connections wait in the socket while
 * one server follows another. `Bun.serve` takes no descriptor. So the socket of `Bun.serve` is replaced by the inherited one,
 * in the descriptor and in epoll. This works on Linux with glibc only.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export class InheritedSocketError extends Error {
  override name = 'InheritedSocketError'
}

/** Whether a listening socket was handed over to this process. Throws `InheritedSocketError` where it was not one. */
export function hasInheritedSocket(env: Record<string, string | undefined>): boolean {
  if (env.LISTEN_PID !== String(process.pid)) return false
  if (env.LISTEN_FDS === '1') return true
  throw new InheritedSocketError(
    `The service manager handed ${env.LISTEN_FDS} sockets over; one is expected. To change ListenStream=, set it empty first.`,
  )
}

/** The first descriptor that is handed over. */
const INHERITED = 3

/** Starts a server of Bun that accepts from the inherited socket. Throws `InheritedSocketError` where that is impossible. */
export function onInheritedSocket<Server>(serve: () => Server): Server {
  const before = new Set(sockets())
  const server = serve()
  const own = sockets().filter((fd) => !before.has(fd))
  const [polled, ...others] = polls().filter(({ fd }) => own.includes(fd))
  if (!polled || others.length > 0) throw new InheritedSocketError('The socket of the server was not found')
  takeOver(polled)
  return server
}

/** The events that an epoll instance waits for. */
interface Polled {
  epoll: number
  fd: number
  events: number
  data: bigint
}

const [F_GETFL, F_SETFL, O_NONBLOCK, EPOLL_CTL_ADD] = [3, 4, 0o4000, 1]

function takeOver({ epoll, fd, events, data }: Polled): void {
  // Loaded only here: few servers get a socket.
  const { dlopen, ptr } = require('bun:ffi') as typeof import('bun:ffi')
  const { symbols: libc } = dlopen('libc.so.6', {
    fcntl: { args: ['int', 'int', 'int'], returns: 'int' },
    dup2: { args: ['int', 'int'], returns: 'int' },
    epoll_ctl: { args: ['int', 'int', 'int', 'ptr'], returns: 'int' },
  })
  // `struct epoll_event` is packed on x86-64 only.
  const offset = process.arch === 'x64' ? 4 : 8
  const event = Buffer.alloc(offset + 8)
  event.writeUInt32LE(events, 0)
  event.writeBigUInt64LE(data, offset)
  const flags = libc.fcntl(INHERITED, F_GETFL, 0)
  // A server that blocks in accept would answer nobody. `dup2` closes its own socket, which removes it from epoll.
  const done = [
    libc.fcntl(INHERITED, F_SETFL, flags | O_NONBLOCK),
    libc.dup2(INHERITED, fd),
    libc.epoll_ctl(epoll, EPOLL_CTL_ADD, fd, ptr(event)),
  ]
  if (done.some((result) => result < 0)) throw new InheritedSocketError('The socket could not be taken over')
}

const numbersIn = (folder: string) => readdirSync(folder).map(Number)

function linkOf(fd: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    // The descriptor by which the folder was read is closed already.
    return ''
  }
}

const sockets = (): number[] => numbersIn('/proc/self/fd').filter((fd) => linkOf(fd).startsWith('socket:'))

function polls(): Polled[] {
  const instances = numbersIn('/proc/self/fd').filter((fd) => linkOf(fd) === 'anon_inode:[eventpoll]')
  return instances.flatMap((epoll) =>
    [...readFileSync(`/proc/self/fdinfo/${epoll}`, 'utf8').matchAll(POLLED)].map(([, fd, events, data]) => ({
      ...{ epoll, fd: Number(fd), events: Number.parseInt(events ?? '', 16), data: BigInt(`0x${data}`) },
    })),
  )
}

const POLLED = /^tfd: +(\d+) events: +([0-9a-f]+) data: +([0-9a-f]+)/gm
