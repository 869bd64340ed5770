/** The real program in processes of its own, and carriers on loopback. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { HANGS_AFTER_MS, until } from '../support/until'

export const ROOT = join(import.meta.dir, '../..')

/** Undefined is not there. */
export type Environment = Record<string, string | undefined>

/** How the program is started: the compiled file or its source, where, and with which environment. */
export interface Program {
  command: string[]
  cwd: string
  env?: Environment
}

/** Names where the binary lies, where whoever runs these tests builds it for all of them; no setting of the program's. */
export const BUILT = 'TESTED_BINARY'

/** The program in a folder: the binary that is built for this run, which starts four times as fast, or else the source. */
export const programIn = (cwd: string, env: Environment = {}): Program => {
  const built = process.env[BUILT]
  return built ? { command: [built], cwd, env } : fromSource(cwd, env)
}

/** The program from source, in a folder; `tree`: of another checkout than this. */
export const fromSource = (cwd: string, env: Environment = {}, tree = ROOT): Program => ({
  command: [process.execPath, join(tree, 'src/main.ts')],
  cwd,
  env,
})

/** A new empty folder, and how to be rid of it. */
export function newFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'watchword-process-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export interface Ended {
  exitCode: number
  stdout: string
  stderr: string
}

/** A run builds its binary while tests that do without it are played. */
export async function isBuilt([file = '']: readonly string[]): Promise<void> {
  if (file === process.env[BUILT]) await until(() => existsSync(file), `${file} to be built`)
}

/** Runs one command to its end; one that hangs is killed, so that nothing is left running. */
export async function run({ command, cwd, env = {} }: Program, ...args: string[]): Promise<Ended> {
  await isBuilt(command)
  const child = Bun.spawn([...command, ...args], {
    cwd,
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: HANGS_AFTER_MS,
    killSignal: 'SIGKILL',
  })
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { exitCode, stdout, stderr }
}

// biome-ignore lint/suspicious/noExplicitAny: answers are compared, not used
export type Json = any

/** The one JSON object a command answers with `--json`. */
export async function runJson(program: Program, ...args: string[]): Promise<Json> {
  const { exitCode, stdout, stderr } = await run(program, ...args, '--json')
  if (exitCode !== 0) throw new Error(`${args.join(' ')} exited with ${exitCode}: ${stderr}`)
  return JSON.parse(stdout)
}

export interface Answer {
  status: number
  headers: Headers
  body: Json
}

const TOO_BUSY = 'Too many requests at the moment'

/** A running `serve`, and everything it has written. */
export class Server {
  stdout = ''
  stderr = ''
  url = ''
  readonly #written: Promise<unknown>

  private constructor(readonly child: Subprocess<'ignore', 'pipe', 'pipe'>) {
    this.#written = Promise.all([
      keep(child.stdout, (text) => {
        this.stdout += text
      }),
      keep(child.stderr, (text) => {
        this.stderr += text
      }),
    ])
  }

  /** Answers once the first line of its output says that it listens. */
  static async start({ command, cwd, env = {} }: Program, ...args: string[]): Promise<Server> {
    await isBuilt(command)
    const child = Bun.spawn([...command, 'serve', '--port', '0', ...args], {
      cwd,
      // Nobody but the test asks, and it waits.
      env: { WATCHWORD_LEAVING_MS: '0', ...env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const server = new Server(child)
    await until(() => server.stdout.includes('\n') || child.exitCode !== null, 'the server to listen')
    if (child.exitCode !== null) throw new Error(`serve exited with ${child.exitCode}: ${server.stderr}`)
    server.url = JSON.parse(server.stdout.split('\n')[0] ?? '').url
    return server
  }

  /** Ends it with a signal and answers its exit code, once all it wrote has been read. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
    this.child.kill(signal)
    const exitCode = await this.child.exited
    await this.#written
    return exitCode
  }

  async call(method: string, path: string, key?: string, body?: unknown, headers = {}): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: parse(text) }
  }

  /** Asks again while a machine that has too much to do makes the server too busy for it. */
  async issue(key: string, phoneNumber: string, more: object = {}): Promise<Answer> {
    const input = { phoneNumber, purpose: 'signup', idempotencyKey: crypto.randomUUID(), ...more }
    let answer = await this.call('POST', '/v1/issue', key, input)
    const isTooBusy = () => answer.status === 503 && answer.body.message === TOO_BUSY
    const isAnswered = async () => {
      if (isTooBusy()) answer = await this.call('POST', '/v1/issue', key, input)
      return !isTooBusy()
    }
    await until(isAnswered, 'the server to have time for an issue')
    return answer
  }

  verify(key: string, issueId: string, code: string): Promise<Answer> {
    return this.call('POST', '/v1/verify', key, { issueId, code })
  }

  async status(key: string, issueId: string): Promise<Json> {
    return (await this.call('GET', `/v1/status?issueId=${issueId}`, key)).body
  }
}

export async function keep(stream: ReadableStream<Uint8Array>, write: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) write(decoder.decode(chunk, { stream: true }))
}

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export interface Received {
  messageId: string
  to: string
  text: string
  channel: string
}

/** A carrier on loopback that remembers every request and takes all of them until told otherwise. */
export class StubCarrier {
  readonly received: Received[] = []
  readonly headers: Headers[] = []
  answer: (message: Received) => Response | Promise<Response> = ({ messageId }) => Response.json({ id: messageId })
  readonly #server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const message = (await request.json()) as Received
      this.received.push(message)
      this.headers.push(request.headers)
      return this.answer(message)
    },
  })

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/send`
  }

  /** The code in the text a number got last. */
  codeFor(to: string): string {
    const text = this.received.findLast((message) => message.to === to)?.text ?? ''
    return /(?<!\d)\d{6}(?!\d)/.exec(text)?.[0] ?? ''
  }

  async stop(): Promise<void> {
    await this.#server.stop(true)
  }
}

/** A browser the machine has, or the one that npm brought. */
export async function chromiumPath(): Promise<string> {
  const installed = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
    (path) => path !== undefined && existsSync(path),
  )
  if (installed !== undefined) return installed
  const { default: chromium } = await import('@sparticuz/chromium')
  return chromium.executablePath()
}
