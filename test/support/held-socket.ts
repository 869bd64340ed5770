/** A listening socket that nobody accepts from, as a service manager holds it and hands it over to the server it starts. */
import { dlopen, ptr } from 'bun:ffi'
import type { Subprocess } from 'bun'
import { keep, type Program } from '../binary/support'
import { freePort } from './free-port'
import { until } from './until'

const [AF_INET, SOCK_STREAM, SOL_SOCKET, SO_REUSEADDR] = [2, 1, 1, 2]
/** As many as may wait in it. */
const BACKLOG = 1_024

export interface HeldSocket {
  port: number
  /** Starts `serve` with the socket as its descriptor 3, as systemd does it. */
  start(program: Program): StartedServer
  /** Whoever was started with it and still runs, ends with it: also where a test has failed. */
  close(): void
}

export interface StartedServer {
  /** Waits until it listens or has ended, and answers what it has said on stdout. */
  listens(): Promise<string>
  /** Tells it to end, with SIGTERM, and answers its exit code. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number>
  /** Waits until it has ended by itself. */
  failed(): Promise<{ exitCode: number; stderr: string }>
}

/** On loopback, at a free port. */
export async function holdSocket(): Promise<HeldSocket> {
  const { symbols: libc } = dlopen('libc.so.6', {
    socket: { args: ['int', 'int', 'int'], returns: 'int' },
    setsockopt: { args: ['int', 'int', 'int', 'ptr', 'int'], returns: 'int' },
    bind: { args: ['int', 'ptr', 'int'], returns: 'int' },
    listen: { args: ['int', 'int'], returns: 'int' },
    close: { args: ['int'], returns: 'int' },
  })
  const port = freePort()
  const address = Buffer.alloc(16)
  address.writeUInt16LE(AF_INET, 0)
  address.writeUInt16BE(port, 2)
  address.set([127, 0, 0, 1], 4)
  const one = new Int32Array([1])
  const socket = libc.socket(AF_INET, SOCK_STREAM, 0)
  libc.setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, ptr(one), one.byteLength)
  if (libc.bind(socket, ptr(address), address.length) !== 0 || libc.listen(socket, BACKLOG) !== 0)
    throw new Error(`no socket at port ${port}`)
  const children: Subprocess[] = []
  return {
    port,
    start(program) {
      const [server, child] = started(program, socket)
      children.push(child)
      return server
    },
    close() {
      for (const child of children) child.kill('SIGKILL')
      libc.close(socket)
    },
  }
}

function started({ command, cwd, env = {} }: Program, socket: number): [StartedServer, Subprocess] {
  const handedOver = ['sh', '-c', 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"', 'sh', ...command, 'serve']
  const child = Bun.spawn(handedOver, {
    ...{ cwd, env: { PATH: process.env.PATH, ...env } },
    stdio: ['ignore', 'pipe', 'pipe', socket],
  })
  const said = { stdout: '', stderr: '' }
  const ended = Promise.all(
    (['stdout', 'stderr'] as const).map((stream) =>
      keep(child[stream] as ReadableStream<Uint8Array>, (text) => {
        said[stream] += text
      }),
    ),
  )
  const server: StartedServer = {
    async listens() {
      await until(() => said.stdout.includes('\n') || child.exitCode !== null, 'the server to listen')
      return said.stdout
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      return await child.exited
    },
    async failed() {
      const exitCode = await child.exited
      await ended
      return { exitCode, stderr: said.stderr }
    },
  }
  return [server, child]
}
