/** The Debian package, installed by dpkg into a root of its own, with the program in it that is released. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installed } from '../../deploy/release/contents'
import { debianPackage, debianVersion } from '../../deploy/release/debian'
import { originOf } from '../../deploy/release/origin'
import { execute } from '../../deploy/release/programs'
import { sha256 } from '../../deploy/release/sign'
import { compile } from '../binary/compiled'
import { newFolder, ROOT, runJson } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'
import { ARCHITECTURE, BUILT_AT, contentsOf } from './made'

setDefaultTimeout(HANGS_AFTER_MS)

const { version: VERSION } = originOf(ROOT)
const folder = newFolder()
afterAll(() => folder.remove())
const root = join(folder.path, 'root')
const at = (path: string) => join(root, path)
const file = join(folder.path, 'watchword.deb')
const SETTINGS = 'etc/watchword/watchword.env'

/** A Debian that has what the package depends on, and nothing else. */
function layOut(): void {
  for (const path of ['etc', 'var/lib/dpkg/updates', 'var/lib/dpkg/info']) mkdirSync(at(path), { recursive: true })
  const stanzas = ['libc6', 'passwd'].map((name) => {
    writeFileSync(at(`var/lib/dpkg/info/${name}.list`), '')
    const says = ['Status: install ok installed', `Architecture: ${ARCHITECTURE}`, 'Version: 2.36']
    return [`Package: ${name}`, ...says, 'Maintainer: nobody <nobody@localhost>', 'Description: it is there', ''].join(
      '\n',
    )
  })
  writeFileSync(at('var/lib/dpkg/status'), stanzas.join('\n'))
  writeFileSync(at('etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n')
  writeFileSync(at('etc/group'), 'root:x:0:\n')
}

/** Who is not root is, in a namespace. Scripts run outside of the root, and are told where it is. */
const asRoot = process.getuid?.() === 0 ? [] : ['unshare', '--map-root-user']
function dpkg(...args: string[]): string {
  const [program = '', ...rest] = [...asRoot, 'dpkg', `--root=${root}`, '--force-script-chrootless', ...args]
  return execute(program, rest, { env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin` } })
}

beforeAll(async () => {
  const binary = await compile()
  const { notice } = await contentsOf(binary)
  debianPackage(
    installed(await Bun.file(binary).bytes(), notice),
    { version: VERSION, architecture: ARCHITECTURE, builtAt: BUILT_AT },
    file,
  )
  layOut()
  dpkg('--install', file)
})

describe('installed', () => {
  test('the program is the one that was released, and says its version', async () => {
    expect(await sha256(at('usr/bin/watchword'))).toBe(await sha256(await compile()))
    expect(statSync(at('usr/bin/watchword')).mode & 0o777).toBe(0o755)
    const about = await runJson({ command: [at('usr/bin/watchword')], cwd: folder.path }, 'version')
    expect(about.version).toBe(VERSION)
    expect(execute('dpkg-query', [`--admindir=${at('var/lib/dpkg')}`, '-W', 'watchword'])).toBe(
      `watchword\t${debianVersion(VERSION)}\n`,
    )
  })

  test('there is a user for it, who cannot sign in', () => {
    expect(readFileSync(at('etc/passwd'), 'utf8')).toMatch(
      /^watchword:[^:]*:\d+:\d+:[^:]*:\/var\/lib\/watchword:\/usr\/sbin\/nologin$/m,
    )
    expect(readFileSync(at('etc/group'), 'utf8')).toMatch(/^watchword:/m)
  })

  test('the units start what is there, with the settings that are there and nobody else reads', () => {
    for (const unit of ['watchword.service', 'watchword-backup.service']) {
      const lines = readFileSync(at(`usr/lib/systemd/system/${unit}`), 'utf8').split('\n')
      const [started = ''] = lines.flatMap((line) => /^ExecStart=(\S+)/.exec(line)?.[1] ?? [])
      expect(existsSync(at(started))).toBe(true)
      expect(lines).toContain(`EnvironmentFile=/${SETTINGS}`)
      expect(lines).toContain('User=watchword')
    }
    expect(existsSync(at('usr/lib/systemd/system/watchword-backup.timer'))).toBe(true)
    expect(statSync(at(SETTINGS)).mode & 0o777).toBe(0o600)
  })

  test('alert rules, dashboard, proxies and the completion of each shell are where they are looked for', () => {
    for (const [installed, source] of [
      ['usr/share/watchword/prometheus/watchword.rules.yml', 'deploy/prometheus/watchword.rules.yml'],
      ['usr/share/watchword/grafana/watchword.json', 'deploy/grafana/watchword.json'],
      ['usr/share/doc/watchword/examples/haproxy.cfg', 'deploy/proxy/haproxy.cfg'],
      ['usr/share/bash-completion/completions/watchword', 'src/cli/completion/watchword.bash'],
      ['usr/share/zsh/vendor-completions/_watchword', 'src/cli/completion/watchword.zsh'],
      ['usr/share/fish/vendor_completions.d/watchword.fish', 'src/cli/completion/watchword.fish'],
      ['usr/lib/systemd/system/watchword.socket', 'deploy/watchword.socket'],
    ] as const)
      expect([installed, readFileSync(at(installed), 'utf8').split('\n').slice(1)]).toEqual([
        installed,
        readFileSync(join(ROOT, source), 'utf8').split('\n').slice(1),
      ])
  })

  test('the licences of what it carries are beside it', () => {
    const text = readFileSync(at('usr/share/doc/watchword/third-party-licenses.txt'), 'utf8')
    expect(text).toContain(`bun ${Bun.version} · `)
  })
})

describe('upgraded and removed', () => {
  test('changed settings stay, and so does what was stored', () => {
    appendFileSync(at(SETTINGS), 'WATCHWORD_LOG_LEVEL=warn\n')
    mkdirSync(at('var/lib/watchword'), { recursive: true })
    writeFileSync(at('var/lib/watchword/watchword.secret'), 'a secret')
    // As an upgrade: once more over what is there, and its user.
    dpkg('--install', file)
    expect(readFileSync(at(SETTINGS), 'utf8')).toEndWith('WATCHWORD_LOG_LEVEL=warn\n')

    dpkg('--remove', 'watchword')
    expect(existsSync(at('usr/bin/watchword'))).toBe(false)
    expect(existsSync(at(SETTINGS))).toBe(true)
    dpkg('--purge', 'watchword')
    expect(existsSync(at(SETTINGS))).toBe(false)
    expect(existsSync(at('var/lib/watchword/watchword.env'))).toBe(false)
    expect(readFileSync(at('var/lib/watchword/watchword.secret'), 'utf8')).toBe('a secret')
  })

  test('the only copy of a secret that stands in the settings is kept, and it is said where', () => {
    dpkg('--install', file)
    appendFileSync(at(SETTINGS), 'WATCHWORD_SECRET=the only copy of a master secret\n')
    expect(dpkg('--purge', 'watchword')).toContain('/var/lib/watchword/watchword.env')
    expect(existsSync(at(SETTINGS))).toBe(false)
    const kept = at('var/lib/watchword/watchword.env')
    expect(readFileSync(kept, 'utf8')).toContain('WATCHWORD_SECRET=the only copy of a master secret\n')
    expect(statSync(kept).mode & 0o777).toBe(0o600)
  })
})
