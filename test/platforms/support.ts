/** A platform of somebody else, built from its source, beside a real Watchword with a carrier on loopback. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import type { RelaySource } from '../../src/domain/relays/relay'
import { fromSource, keep, newFolder, runJson, Server, StubCarrier } from '../binary/support'
import { until } from '../support/until'

export interface Source {
  repository: string
  /** What the results in the documentation were measured with. */
  commit: string
}

export interface GoSource extends Source {
  /** The program in the folder of the source. */
  program: string
  /** Arguments of `go build`. */
  build: string[]
}

/** The folder of the source: the one that is given, or a clone of its own. */
export async function cloned({ repository, commit }: Source, given: string | undefined, into: string) {
  const folder = given ?? join(into, 'source')
  if (!given) {
    await must(['git', 'init', '-q', folder], into)
    await must(['git', 'fetch', '-q', '--depth', '1', repository, commit], folder)
    await must(['git', 'checkout', '-q', 'FETCH_HEAD'], folder)
  }
  return folder
}

/** The folder of the source, with its program built. */
export async function built(source: GoSource, given: string | undefined, into: string) {
  const folder = await cloned(source, given, into)
  const { program, build } = source
  if (!existsSync(join(folder, program)))
    await must(['go', 'build', '-buildvcs=false', ...build, '-o', program, '.'], folder)
  return folder
}

export async function must(command: string[], cwd: string, env = {}): Promise<void> {
  const { exited } = Bun.spawn(command, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if ((await exited) !== 0) throw new Error(`${command.join(' ')} failed`)
}

/** A program that goes on running, and all it has written. */
export class Running {
  said = ''
  private constructor(readonly child: Subprocess<'ignore', 'pipe', 'pipe'>) {
    for (const stream of [child.stdout, child.stderr])
      keep(stream, (text) => {
        this.said += text
      })
  }

  /** Answers once `url` does. */
  static async start(command: string[], cwd: string, env: Record<string, string>, url: string): Promise<Running> {
    const child = Bun.spawn(command, {
      cwd,
      env: { PATH: process.env.PATH ?? '', ...env },
      stdout: 'pipe',
      stderr: 'pipe',
      stdin: 'ignore',
    })
    const running = new Running(child)
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`${command[0]} ended: ${running.said}`)
      return fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    }, `${url} to answer`)
    return running
  }

  async stop(): Promise<void> {
    this.child.kill()
    await this.child.exited
  }
}

/** A server with a live relay of a source, and the texts that its carrier got. */
export async function relayed(source: RelaySource) {
  const folder = newFolder()
  const carrier = new StubCarrier()
  const program = fromSource(folder.path)
  const { appId } = await runJson(program, 'app', 'create', 'shop')
  await runJson(program, 'credit', 'add', '--app', appId, '--amount', '1000')
  await runJson(program, 'provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', carrier.url)
  const { url, secret } = await runJson(program, 'relay', 'add', appId, 'login', '--source', source)
  const server = await Server.start(program)
  let expected = 0
  return {
    url: server.url + new URL(url).pathname,
    secret: String(secret),
    carrier,
    folder: folder.path,
    /** The code in the text that came last, once there are so many texts. */
    async code(to: string, texts: number): Promise<string> {
      expected = texts
      await until(() => carrier.received.length >= texts, `text ${texts} to arrive`)
      return carrier.codeFor(to)
    },
    async block(): Promise<void> {
      await runJson(program, 'app', 'block', appId, '--country', 'KR', '--yes')
    },
    async stop(): Promise<void> {
      // It sends what it has taken before it ends.
      await server.stop()
      if (carrier.received.length !== expected) throw new Error(`${carrier.received.length} texts, not ${expected}`)
      if (/\+?8210\d{8}/.test(server.stderr + server.stdout)) throw new Error('A number is in the log')
      await carrier.stop()
      folder.remove()
    },
  }
}

export interface Answered {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers are compared, not used
  body: any
}

export async function ask(url: string, body?: object, headers = {}): Promise<Answered> {
  const response = await fetch(url, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
  })
  return { status: response.status, body: await response.json() }
}
