/** An HAProxy that leads to whichever PostgreSQL leads, by asking Patroni; Debian's package `haproxy` brings it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port'
import { asNobody, endingWithUs, listens } from './postgres'

export interface Backend {
  name: string
  port: number
  /** Where Patroni answers for it. */
  checkPort: number
}

export class HAProxy {
  readonly #dir = mkdtempSync(join(tmpdir(), 'watchword-haproxy-'))
  #process: ChildProcess | undefined

  private constructor(readonly port: number) {
    chmodSync(this.#dir, 0o755)
  }

  static async start(backends: readonly Backend[]): Promise<HAProxy> {
    const program = Bun.which('haproxy', { PATH: `${process.env.PATH}:/usr/sbin` })
    if (!program) throw new Error('There is no haproxy here: apt install haproxy')
    const proxy = new HAProxy(freePort())
    const file = join(proxy.#dir, 'haproxy.cfg')
    writeFileSync(file, `${proxy.#configuration(backends).join('\n')}\n`)
    const [first = '', ...args] = endingWithUs('KILL', [program, '-db', '-f', file])
    proxy.#process = spawn(first, args, { ...asNobody, stdio: 'ignore' })
    while (!(await listens(proxy.port))) await Bun.sleep(25)
    return proxy
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process?.once('exit', resolve))
    this.#process?.kill('SIGKILL')
    await ended
    rmSync(this.#dir, { recursive: true, force: true })
  }

  /** As docs/several-servers.md says. */
  #configuration(backends: readonly Backend[]): string[] {
    return [
      ...['defaults', 'mode tcp', 'timeout connect 2s', 'timeout client 1h', 'timeout server 1h'],
      ...['listen primary', `bind 127.0.0.1:${this.port}`],
      ...['option httpchk GET /primary', 'http-check expect status 200'],
      'default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions',
      ...backends.map(({ name, port, checkPort }) => `server ${name} 127.0.0.1:${port} check port ${checkPort}`),
    ]
  }
}
