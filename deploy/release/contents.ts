/** What lies beside the binary in the files of a release. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LicenseNotice, linesOf } from '../../src/cli/licenses'
import type { Entry } from './archive'
import { isWindows, type Target } from './targets'

const ROOT = join(import.meta.dir, '../..')
const DEPLOY = join(ROOT, 'deploy')

const bytes = (text: string) => new TextEncoder().encode(text)

/** `watchword-VERSION-OS-ARCH`: the archive without its ending, and the one folder in it. */
export const nameOf = (target: Target, version: string): string => `watchword-${version}-${target.name}`

export const programOf = (target: Target): string => `watchword${isWindows(target) ? '.exe' : ''}`

/** As in a folder that somebody unpacks and looks around in. */
export function archived(target: Target, binary: Uint8Array, notice: LicenseNotice): Entry[] {
  const isServer = target.name.startsWith('linux-')
  const entries = [
    { name: programOf(target), data: binary, isProgram: true },
    { name: 'LICENSE', data: readFileSync(join(ROOT, 'LICENSE')) },
    { name: 'third-party-licenses.txt', data: licensesOf(notice) },
    // What the container's data folder is made of.
    ...(isServer ? [...examples(), { name: 'deploy/container/data/' }] : []),
  ]
  return entries.map((entry) => ({ ...entry, name: `${nameOf(target, notice.program.version)}/${entry.name}` }))
}

/** As Debian lays them out, from the root. */
export function installed(binary: Uint8Array, notice: LicenseNotice): Entry[] {
  const doc = 'usr/share/doc/watchword'
  return [
    { name: 'usr/bin/watchword', data: binary, isProgram: true },
    { name: 'etc/watchword/watchword.env', data: readFileSync(join(DEPLOY, 'watchword.env')) },
    ...UNITS.map((unit) => ({ name: `usr/lib/systemd/system/${unit}`, data: unitOfPackage(unit) })),
    { name: `${doc}/copyright`, data: readFileSync(join(DEPLOY, 'debian/copyright')) },
    { name: `${doc}/third-party-licenses.txt`, data: licensesOf(notice) },
    ...PROXIES.map((file) => ({ name: `${doc}/examples/${file}`, data: readFileSync(join(DEPLOY, 'proxy', file)) })),
    ...WATCHING.map((file) => ({ name: `usr/share/watchword/${file}`, data: readFileSync(join(DEPLOY, file)) })),
    ...COMPLETION.map(([name, shell]) => ({
      name: `usr/share/${name}`,
      data: readFileSync(join(SHELLS, `watchword.${shell}`)),
    })),
  ]
}

const UNITS = ['watchword.service', 'watchword.socket', 'watchword-backup.service', 'watchword-backup.timer']
/** What Prometheus and Grafana are given. */
const WATCHING = ['prometheus/watchword.rules.yml', 'grafana/watchword.json']
const SHELLS = join(ROOT, 'src/cli/completion')
/** Where each shell looks for what packages bring. */
const COMPLETION = [
  ['bash-completion/completions/watchword', 'bash'],
  ['zsh/vendor-completions/_watchword', 'zsh'],
  ['fish/vendor_completions.d/watchword.fish', 'fish'],
] as const
const PROXIES = readdirSync(join(DEPLOY, 'proxy')).sort()

/** What somebody installs by hand lies in `/usr/local`; what a package brings does not. */
const unitOfPackage = (unit: string): Uint8Array =>
  bytes(
    readFileSync(join(DEPLOY, unit), 'utf8')
      .replaceAll('/usr/local/bin/', '/usr/bin/')
      .replaceAll('/etc/systemd/', '/usr/lib/systemd/'),
  )

const licensesOf = (notice: LicenseNotice): Uint8Array => bytes(`${linesOf(notice).join('\n')}\n`)

const NOT_FOR_USERS = /^(release|debian)\/|^kubernetes\/render\.ts$/

function examples(): Entry[] {
  const names = readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(DEPLOY.length + 1))
    .filter((name) => !NOT_FOR_USERS.test(name))
  return names.map((name) => ({ name: `deploy/${name}`, data: readFileSync(join(DEPLOY, name)) }))
}
