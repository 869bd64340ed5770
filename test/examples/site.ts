/** The examples, started beside a real service in test mode. Only loopback is reached, but for packages. */
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { newFolder, programIn, ROOT, runJson, Server } from '../binary/support'
import { launch } from '../console/support'
import { blocksOf } from '../docs/pages'
import { until } from '../support/until'

export const EXAMPLES = ['express-element', 'fastapi', 'nextjs'] as const
export type Example = (typeof EXAMPLES)[number]

export const folderOf = (example: Example) => join(ROOT, 'examples', example)

/** All that its README has people type. */
export const commandOf = (example: Example) =>
  blocksOf(`examples/${example}/README.md`)
    .map(({ text }) => text.trim())
    .join('\n')

export interface Service {
  server: Server
  browser: Browser
  appId: string
  publicKey: string
  /** Of an app that the example knows nothing of. */
  otherApp: { secretKey: string }
  secretKey: string
  close(): Promise<void>
}

export async function openService(): Promise<Service> {
  const folder = newFolder()
  const program = programIn(folder.path)
  const appNamed = async (name: string): Promise<string> => (await runJson(program, 'app', 'create', name)).appId
  const keyOf = async (app: string, kind: 'pk' | 'sk'): Promise<string> =>
    (await runJson(program, 'key', 'create', '--app', app, '--kind', kind, '--mode', 'test')).key
  const appId = await appNamed('example')
  const publicKey = await keyOf(appId, 'pk')
  const secretKey = await keyOf(appId, 'sk')
  const otherApp = { secretKey: await keyOf(await appNamed('other'), 'sk') }
  const [server, browser] = await Promise.all([Server.start(program), launch()])
  return {
    ...{ server, browser, appId, publicKey, secretKey, otherApp },
    async close() {
      await browser.close()
      await server.stop('SIGKILL')
      folder.remove()
    },
  }
}

/** An example that runs. */
export interface Site {
  service: Service
  url: string
  said(): string
  stop(): Promise<void>
}

/** Starts what a reader types, in a folder, with the service's own keys where the page has only how they begin. */
export async function start(service: Service, command: string, cwd: string): Promise<Site> {
  const port = freePort()
  const typed = command.replace('pk_test_…', service.publicKey).replace('app_…', service.appId)
  const child = Bun.spawn(['bash', '-c', typed], {
    cwd,
    env: { ...process.env, NODE_ENV: undefined, OTP_URL: `${service.server.url}/v1`, PORT: String(port) },
    ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', detached: true },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) void keep(stream, (text) => (said += text))
  const url = `http://localhost:${port}`
  const site = {
    ...{ service, url, said: () => said },
    async stop() {
      // What a shell or npm has started is of its group.
      process.kill(-child.pid, 'SIGKILL')
      await child.exited
    },
  }
  const answers = () =>
    fetch(url).then(
      () => true,
      () => child.exitCode !== null,
    )
  await until(answers, `${command} to listen`)
  if (child.exitCode !== null) throw new Error(`${command} exited with ${child.exitCode}:\n${said}`)
  return site
}

async function keep(stream: ReadableStream<Uint8Array>, write: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) write(decoder.decode(chunk, { stream: true }))
}

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  listener.stop(true)
  return listener.port
}
