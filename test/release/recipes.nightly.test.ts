/**
 * The recipes by Nix and Ruby themselves, of Debian's packages `nix-bin` and `ruby`. nixpkgs and Homebrew are not here:
 * `nixpkgs.nix` stands for what is used of it, and NixOS and Homebrew were not run.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { originOf } from '../../deploy/release/origin'
import { execute } from '../../deploy/release/programs'
import { sha256 } from '../../deploy/release/sign'
import { TARGETS } from '../../deploy/release/targets'
import { describeSettings } from '../../src/config'
import { compile } from '../binary/compiled'
import { type Json, newFolder, ROOT } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'
import { madeIn, OURS, STAND_IN } from './made'

setDefaultTimeout(HANGS_AFTER_MS)

const { version: VERSION } = originOf(ROOT)
const folder = newFolder()
// What is in a store of Nix cannot be written, not even by its owner.
afterAll(() => {
  execute('chmod', ['-R', 'u+w', folder.path])
  folder.remove()
})
const at = (...names: string[]) => join(folder.path, ...names)

beforeAll(async () => {
  const binary = await compile()
  const binaryOf = async ({ name }: { name: string }) => (name === OURS ? binary : STAND_IN)
  await madeIn(at('made'), { targets: TARGETS, url: `file://${at('made')}`, binaryOf })
  execute('tar', ['-xzf', at('made', `watchword-${VERSION}-nix.tar.gz`)], { cwd: folder.path })
})

/** With a store of its own. */
const nix = (program: string, attribute: string, ...args: string[]) =>
  execute(
    program,
    [
      join(import.meta.dir, 'nixpkgs.nix'),
      ...['--argstr', 'folder', at('nix'), '--attr', attribute, ...args],
      ...['--option', 'sandbox', 'false', '--option', 'build-users-group', '', '--option', 'substitute', 'false'],
    ],
    {
      cwd: folder.path,
      env: Object.fromEntries(['STORE', 'STATE', 'LOG', 'CONF'].map((name) => [`NIX_${name}_DIR`, at('store', name)])),
    },
  )
const configured = (attribute: string): Json =>
  JSON.parse(nix('nix-instantiate', attribute, '--eval', '--strict', '--json'))

describe('Nix', () => {
  test('builds the package from the archive of the release, and its program is the released one', async () => {
    const built = nix('nix-build', 'package', '--no-out-link').trim()
    expect(await sha256(join(built, 'bin/watchword'))).toBe(await sha256(await compile()))
    expect(readdirSync(join(built, 'lib/systemd/system'))).toContain('watchword.service')
    expect(readFileSync(join(built, 'lib/systemd/system/watchword.service'), 'utf8')).toContain(
      `ExecStart=${built}/bin/watchword serve\n`,
    )
  })

  test('refuses an archive whose bytes are not the ones of the release', () => {
    const release = at('nix/release.json')
    const right = readFileSync(release, 'utf8')
    writeFileSync(release, right.replaceAll(/"sha256-.{8}/g, '"sha256-AAAAAAAA'))
    expect(() => nix('nix-build', 'package', '--no-out-link')).toThrow('hash mismatch')
    writeFileSync(release, right)
  })

  test('the module starts the units with the settings of the options', () => {
    const { settings, refusals, ports, folders, services, sockets } = configured('enabled')
    expect(settings).toBe('WATCHWORD_DATA=/var/lib/watchword\nWATCHWORD_HOST=127.0.0.1\nWATCHWORD_PORT=8787\n')
    expect([refusals, ports, folders]).toEqual([[], null, null])
    expect(sockets.watchword.socketConfig).toEqual({ ListenStream: ['', '127.0.0.1:8787'] })
    expect(services.watchword.serviceConfig).toEqual({
      EnvironmentFile: null,
      LoadCredential: null,
      ReadWritePaths: null,
    })
  })

  test('other options reach the server, its socket, its backup and the firewall', () => {
    const { settings, ports, folders, services, sockets } = configured('changed')
    const lines = settings.trimEnd().split('\n')
    expect(lines).toContain('WATCHWORD_DATA=/srv/codes')
    expect(lines).toContain('WATCHWORD_DATABASE_BATCHING=false')
    const known = describeSettings().map(({ name }) => name)
    expect(lines.filter((line: string) => !known.includes(line.split('=')[0] ?? ''))).toEqual([])
    expect([ports, folders]).toEqual([[9000], ['d /srv/codes 0700 watchword watchword -']])
    expect(sockets.watchword.socketConfig.ListenStream).toEqual(['', '0.0.0.0:9000'])
    for (const unit of ['watchword', 'watchword-backup']) {
      expect(services[unit].serviceConfig).toEqual({
        EnvironmentFile: ['/run/secrets/watchword.env'],
        LoadCredential: ['secret:/run/secrets/watchword'],
        ReadWritePaths: ['/srv/codes'],
      })
      expect(services[unit].environment).toEqual({ WATCHWORD_SECRET_FILE: '%d/secret' })
    }
  })

  test('a secret among the settings is refused, since everybody reads the store', () => {
    expect(configured('careless').refusals).toEqual([expect.stringContaining('WATCHWORD_SECRET')])
  })
})

test('Ruby can read the formula', () => {
  expect(execute('ruby', ['-c', at('made/watchword.rb')])).toBe('Syntax OK\n')
})
