/** Proxies in front, as `deploy/proxy` has them: what a client writes reaches the server as it was written, and nobody's address is made up. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { execute } from '../../deploy/release/programs'
import { newFolder, programIn, ROOT, runJson, Server } from '../binary/support'
import { freePort, listens } from '../support/postgres'
import { asking, sendRaw } from '../support/raw'
import { HANGS_AFTER_MS, until } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const textOf = (name: string) => readFileSync(join(ROOT, 'deploy/proxy', name), 'utf8')
const linesOf = (name: string) =>
  textOf(name)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

describe('as they are written', () => {
  test('nginx passes paths on untouched, and says itself who asks', () => {
    const lines = linesOf('nginx.conf')
    for (const line of [
      'proxy_pass http://watchword;',
      'proxy_set_header X-Forwarded-For $remote_addr;',
      'proxy_set_header Host $host;',
      'client_max_body_size 1m;',
    ])
      expect(lines).toContain(line)
    expect(
      lines.filter((line) => /^(rewrite|location (?!\/ \{)|proxy_next_upstream.*non_idempotent)/.test(line)),
    ).toEqual([])
  })

  test('Caddy passes paths on untouched, and trusts nobody', () => {
    const lines = linesOf('Caddyfile')
    expect(lines).toContain('reverse_proxy 127.0.0.1:8787 {')
    expect(
      lines.filter((line) => /^(rewrite|uri|handle_path|route|trusted_proxies|header_up X-Forwarded)/.test(line)),
    ).toEqual([])
  })
})

interface Proxy {
  /** Where it ends TLS, and leads to a port. */
  start(folder: string, to: number): Promise<{ port: number; stop: () => Promise<void> }>
}

const SBIN = { PATH: `${process.env.PATH}:/usr/sbin` }

async function started(command: string[], port: number, env: Record<string, string> = {}) {
  const child = Bun.spawn(command, { env: { ...process.env, ...env }, stdout: 'ignore', stderr: 'pipe' })
  const said = new Response(child.stderr).text()
  await until(async () => child.exitCode !== null || (await listens(port)), 'the proxy to listen')
  if (child.exitCode !== null) throw new Error(await said)
  return {
    port,
    async stop() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** A certificate that nobody vouches for. */
function certificateIn(folder: string): { certificate: string; key: string } {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
  execute('openssl', ['req', '-x509', ...kind, '-nodes', '-days', '2', ...subject, '-keyout', key, '-out', certificate])
  return { certificate, key }
}

/** Each with its own file, in which names and places are those of the test. @throws Error where one is not found. */
function changed(name: string, changes: ReadonlyArray<readonly [string, string]>): string {
  let text = textOf(name)
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${name} does not say ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}

const PROXIES: Record<string, Proxy> = {
  nginx: {
    async start(folder, to) {
      const { certificate, key } = certificateIn(folder)
      const [port, plain] = [await freePort(), await freePort()]
      const site = changed('nginx.conf', [
        ['127.0.0.1:8787', `127.0.0.1:${to}`],
        ['listen 80;', `listen 127.0.0.1:${plain};`],
        ['listen 443', `listen 127.0.0.1:${port}`],
        ['otp.example.com;', 'localhost;'],
        ['/etc/ssl/otp.example.com.pem', certificate],
        ['/etc/ssl/private/otp.example.com.key', key],
      ])
      writeFileSync(join(folder, 'site.conf'), site)
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (one) => `${one}_temp_path ${folder}/${one};`,
      )
      const http = ['access_log off;', ...paths, `include ${folder}/site.conf;`].join('\n')
      const main = ['daemon off;', 'master_process off;', `pid ${folder}/pid;`, 'error_log stderr warn;', 'events {}']
      writeFileSync(join(folder, 'nginx.conf'), [...main, `http {\n${http}\n}`, ''].join('\n'))
      const program = Bun.which('nginx', SBIN) ?? 'nginx'
      return started([program, '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], port)
    },
  },
  caddy: {
    async start(folder, to) {
      const { certificate, key } = certificateIn(folder)
      const port = await freePort()
      const site = changed('Caddyfile', [
        ['127.0.0.1:8787', `127.0.0.1:${to}`],
        ['otp.example.com {', `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`],
      ])
      writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`)
      const places = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
      return started([Bun.which('caddy') ?? 'caddy', 'run', '--config', join(folder, 'Caddyfile')], port, places)
    },
  },
}

/** What came to the server behind: the request line as it was written, and the headers. */
interface Came {
  url: string
  headers: IncomingHttpHeaders
}

/** As `asking`, over TLS. */
function askRaw(port: number, path: string, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false }, () =>
      socket.write(asking(path, 'GET', headers)),
    )
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1')
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

const statusIn = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])

/** As clients write them, and as those do who look for a way around a rule. */
const PATHS = [
  '/',
  '/healthz',
  '/console',
  '/console/',
  '/console/keys?app=a%2Fb',
  '/v1/openapi.json',
  '/v1/issues',
  '/v1/templates/otp%20default',
  '/v1/templates/a%2Fb',
  '/v1/rpc/otp/balance',
  '/v1/%2e%2e/console/keys',
  '/console%2Fkeys',
  '/%63onsole',
  '//console',
  '/v1//issues',
  '/CONSOLE',
  '/healthz/',
]

/** Where a proxy may say itself that this is no path. */
const ABOVE = ['/v1/../console', '/./console', '/console/x/../rpc/session/current', '/x/../console']

describe.each(Object.entries(PROXIES))('%s, where it is installed', (name, proxy) => {
  const isHere = Bun.which(name, SBIN) !== null
  const folder = newFolder()
  const came: Came[] = []
  const behind = createServer((request, response) => {
    came.push({ url: request.url ?? '', headers: request.headers })
    response.end('here')
  })
  const program = programIn(folder.path, { WATCHWORD_TRUSTED_PROXIES: '127.0.0.0/8' })
  let server: Server
  let key: string
  const running: Array<{ port: number; stop: () => Promise<void> }> = []
  const [toStub, toServer] = [() => running[0]?.port ?? 0, () => running[1]?.port ?? 0]

  beforeAll(async () => {
    if (!isHere) return
    await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve))
    server = await Server.start(program)
    const { appId } = await runJson(program, 'app', 'create', 'shop')
    key = (await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test')).key
    for (const port of [(behind.address() as AddressInfo).port, Number(new URL(server.url).port)]) {
      const place = join(folder.path, String(port))
      mkdirSync(place)
      running.push(await proxy.start(place, port))
    }
  })
  afterAll(async () => {
    for (const { stop } of running) await stop()
    behind.close()
    await server?.stop('SIGKILL')
    folder.remove()
  })

  test.if(isHere)('passes each path on as it was written', async () => {
    came.length = 0
    for (const path of PATHS) expect([path, statusIn(await askRaw(toStub(), path))]).toEqual([path, 200])
    expect(came.map(({ url }) => url)).toEqual(PATHS)
  })

  test.if(isHere)('says who asks, whatever they say of themselves', async () => {
    came.length = 0
    await askRaw(toStub(), '/', { 'X-Forwarded-For': '203.0.113.7', 'X-Real-IP': '203.0.113.7' })
    expect(came[0]?.headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      host: 'localhost',
    })
  })

  test.if(isHere)('leads nobody to what the server answers nowhere', async () => {
    for (const path of [...PATHS, ...ABOVE]) {
      const direct = statusIn(await sendRaw(server.url, asking(path)))
      const through = statusIn(await askRaw(toServer(), path))
      expect([path, ABOVE.includes(path) && through === 400 ? direct : through]).toEqual([path, direct])
    }
  })

  test.if(isHere)('leaves it to the server to say that a body is too large', async () => {
    const post = (bytes: number) =>
      fetch(`https://localhost:${toServer()}/v1/issue`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ purpose: 'x'.repeat(bytes) }),
        tls: { rejectUnauthorized: false },
      })
    const large = await post(200_000)
    expect([large.status, large.headers.get('content-type')]).toEqual([413, 'application/json'])
    expect((await post(5_000_000)).status).toBe(413)
  })
})
