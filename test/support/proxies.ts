/** The proxies that are installed here, each with its recipe of `deploy/proxy`, in which only names and places are the test's. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execute } from '../../deploy/release/programs'
import { ROOT } from '../binary/support'
import { freePort } from './free-port'
import { listens } from './postgres'
import { until } from './until'

export interface RunningProxy {
  /** Where it ends TLS. */
  port: number
  /** Ends it as its unit would, and starts it again at the same port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Starts one that leads to these ports. Throws where its program is not installed. */
export type StartProxy = (to: readonly number[]) => Promise<RunningProxy>

export const recipeOf = (name: string) => readFileSync(join(ROOT, 'deploy/proxy', name), 'utf8')

/** Throws where one is not found in the recipe. */
function changed(name: string, changes: ReadonlyArray<readonly [string, string]>): string {
  let text = recipeOf(name)
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${name} does not say ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}

/** A program of Debian's package of the same name. */
export function programNamed(name: string): string {
  const program = Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin` })
  if (!program) throw new Error(`There is no ${name} here: apt install ${name}`)
  return program
}

/** A certificate that nobody vouches for. */
function certificateIn(folder: string): { certificate: string; key: string } {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
  execute('openssl', ['req', '-x509', ...kind, '-nodes', '-days', '2', ...subject, '-keyout', key, '-out', certificate])
  return { certificate, key }
}

interface Place {
  folder: string
  port: number
  certificate: string
  key: string
}

/** `commandIn` writes the configuration, and answers what starts the proxy with it. */
const proxy =
  (commandIn: (place: Place, to: readonly number[]) => Promise<string[]>): StartProxy =>
  async (to) => {
    const folder = mkdtempSync(join(tmpdir(), 'watchword-proxy-'))
    const port = freePort()
    const command = await commandIn({ folder, port, ...certificateIn(folder) }, to)
    const places = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
    const begin = async () => {
      const child = Bun.spawn(command, { env: { ...process.env, ...places }, stdout: 'ignore', stderr: 'pipe' })
      const said = new Response(child.stderr).text()
      await until(async () => child.exitCode !== null || (await listens(port)), 'the proxy to listen')
      if (child.exitCode !== null) throw new Error(await said)
      return child
    }
    let child = await begin()
    return {
      port,
      async restart() {
        // nginx drains at SIGQUIT, HAProxy at SIGUSR1, Caddy at SIGTERM.
        child.kill(command[0]?.endsWith('nginx') ? 'SIGQUIT' : command[0]?.endsWith('haproxy') ? 'SIGUSR1' : 'SIGTERM')
        await child.exited
        child = await begin()
      },
      async stop() {
        child.kill('SIGKILL')
        await child.exited
        rmSync(folder, { recursive: true, force: true })
      },
    }
  }

const nginx = proxy(async ({ folder, port, certificate, key }, to) => {
  const site = changed('nginx.conf', [
    [
      '    server 127.0.0.1:8787 max_fails=0;',
      to.map((each) => `    server 127.0.0.1:${each} max_fails=0;`).join('\n'),
    ],
    ['listen 80;', `listen 127.0.0.1:${freePort()};`],
    ['listen 443', `listen 127.0.0.1:${port}`],
    ['otp.example.com;', 'localhost;'],
    ['/etc/ssl/otp.example.com.pem', certificate],
    ['/etc/ssl/private/otp.example.com.key', key],
  ])
  writeFileSync(join(folder, 'site.conf'), site)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path ${folder}/${one};`)
  const http = ['access_log off;', ...paths, `include ${folder}/site.conf;`].join('\n')
  const main = ['daemon off;', 'master_process off;', `pid ${folder}/pid;`, 'error_log stderr warn;', 'events {}']
  writeFileSync(join(folder, 'nginx.conf'), [...main, `http {\n${http}\n}`, ''].join('\n'))
  return [programNamed('nginx'), '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')]
})

/** Before 2.7 it has another word for bodies that are kept. */
const isOldCaddy = () => execute(programNamed('caddy'), ['version']).startsWith('2.6')

const caddy = proxy(async ({ folder, port, certificate, key }, to) => {
  const servers = to.map((each) => `127.0.0.1:${each}`).join(' ')
  const site = changed('Caddyfile', [
    ['reverse_proxy 127.0.0.1:8787 {', `reverse_proxy ${servers} {`],
    ['otp.example.com {', `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`],
    ...(to.length > 1
      ? [['\t\ttransport http {', '\t\thealth_uri /readyz\n\t\thealth_interval 500ms\n\t\ttransport http {'] as const]
      : []),
    ...(isOldCaddy() ? [['request_buffers 64KiB', 'buffer_requests'] as const] : []),
  ])
  writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`)
  return [programNamed('caddy'), 'run', '--config', join(folder, 'Caddyfile')]
})

const haproxy = proxy(async ({ folder, port, certificate, key }, to) => {
  const bundle = join(folder, 'bundle.pem')
  writeFileSync(bundle, [certificate, key].map((file) => readFileSync(file, 'utf8')).join(''))
  const [alone = 0, ...others] = to
  const several = to.map((each, at) => `    server number${at} 127.0.0.1:${each}`)
  const servers: Array<readonly [string, string]> =
    others.length === 0
      ? [['server one 127.0.0.1:8787', `server one 127.0.0.1:${alone}`]]
      : [
          ['    server one 127.0.0.1:8787', several.join('\n')],
          ['# option httpchk', 'option httpchk'],
          ['# default-server', 'default-server'],
        ]
  const text = changed('haproxy.cfg', [
    ...servers,
    ['bind :80', `bind 127.0.0.1:${freePort()}`],
    ['bind :443', `bind 127.0.0.1:${port}`],
    ['/etc/haproxy/otp.example.com.pem', bundle],
  ])
  // What a check is made by has to stand before the servers.
  const [before = '', after = ''] = text.split(several.join('\n'))
  writeFileSync(join(folder, 'haproxy.cfg'), others.length === 0 ? text : `${before}${after}${several.join('\n')}\n`)
  return [programNamed('haproxy'), '-db', '-f', join(folder, 'haproxy.cfg')]
})

export const PROXIES: Readonly<Record<string, StartProxy>> = { nginx, caddy, haproxy }
