/**
 * The repository as a machine uses it that systemd has booted: apt installs the release before, upgrades to this one while it
 * serves, and removes it. Needs Debian's package `systemd-container`, and root.
 */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, copyFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generateKey, readPrivateKey } from 'openpgp'
import { aptRepository, KEYRING } from '../../deploy/release/apt'
import { installed } from '../../deploy/release/contents'
import { debianPackage } from '../../deploy/release/debian'
import { compile } from '../binary/compiled'
import { newFolder } from '../binary/support'
import { bootRoot, layOutMachine } from '../support/booted-systemd'
import { freePort } from '../support/free-port'
import { HANGS_AFTER_MS, until } from '../support/until'
import { ARCHITECTURE, BUILT_AT, contentsOf } from './made'

setDefaultTimeout(HANGS_AFTER_MS)

const leave: Array<() => unknown> = []
afterEach(async () => {
  for (const step of leave.splice(0).reverse()) await step()
})

test('apt installs a release, upgrades it while it serves, and leaves what was stored', async () => {
  const { path: folder, remove } = newFolder()
  leave.push(remove)
  const publish = await publisherIn(folder)
  await publish('1.0.0', BUILT_AT)
  const server = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    fetch: ({ url }) => new Response(Bun.file(join(folder, 'apt', decodeURIComponent(new URL(url).pathname)))),
  })
  leave.push(() => server.stop(true))

  const root = join(folder, 'root')
  mkdirSync(root)
  layOutDebian(root)
  copyFileSync(join(folder, 'apt', KEYRING), join(root, 'etc/apt/keyrings/watchword.asc'))
  writeFileSync(
    join(root, 'etc/apt/sources.list'),
    `deb [signed-by=/etc/apt/keyrings/watchword.asc] ${server.url.origin} stable main\n`,
  )
  // What is written to `/usr` is gone with the machine.
  const machine = await bootRoot(root, ['--overlay=/usr::/usr'])
  leave.push(() => machine.stop())
  const { run } = machine
  const apt = (...args: string[]) =>
    run('env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '--yes', '--no-install-recommends', ...args)

  await apt('update')
  await apt('install', 'watchword')
  expect(await run('systemctl', 'show', '--property=ActiveState', '--value', 'watchword.service')).toBe('inactive\n')
  const port = freePort()
  await run('sh', '-c', `echo WATCHWORD_PORT=${port} >> /etc/watchword/watchword.env`)
  await run('systemctl', 'enable', '--now', 'watchword.service')
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    )
  await until(answers, 'the installed release to serve')
  const process = () => run('systemctl', 'show', '--property=MainPID', '--value', 'watchword.service')
  const before = await process()

  await publish('1.1.0', new Date(BUILT_AT.getTime() + 60_000))
  await apt('update')
  await apt('upgrade')
  expect(await run('dpkg-query', '-W', 'watchword')).toBe('watchword\t1.1.0\n')
  expect(await process()).not.toBe(before)
  await until(answers, 'the next release to serve')

  await apt('purge', 'watchword')
  expect(await answers()).toBe(false)
  expect(await run('sh', '-c', 'ls /var/lib/watchword')).toContain('watchword.db')
})

/** Makes a release the newest one of the repository, beside those that were. */
async function publisherIn(folder: string) {
  const date = new Date(BUILT_AT.getTime() - 86_400_000)
  const { privateKey } = await generateKey({ userIDs: { name: 'Releases' }, date, format: 'armored' })
  const key = await readPrivateKey({ armoredKey: privateKey })
  const binary = await compile()
  const { notice } = await contentsOf(binary)
  const entries = installed(await Bun.file(binary).bytes(), notice)
  return async (version: string, at: Date) => {
    const name = `watchword_${version}_${ARCHITECTURE}.deb`
    debianPackage(entries, { version, architecture: ARCHITECTURE, builtAt: at }, join(folder, name))
    for (const { name: path, data = '' } of await aptRepository(folder, [name], key, at)) {
      mkdirSync(dirname(join(folder, 'apt', path)), { recursive: true })
      writeFileSync(join(folder, 'apt', path), data)
    }
  }
}

/** A machine whose packages are this one's, without any source of theirs. */
function layOutDebian(root: string): void {
  layOutMachine(root)
  for (const path of [
    'etc/apt/apt.conf.d',
    'etc/apt/preferences.d',
    'etc/apt/keyrings',
    'var/cache/apt',
    'var/log/apt',
  ])
    mkdirSync(join(root, path), { recursive: true })
  chmodSync(join(root, 'tmp'), 0o1777)
  cpSync('/var/lib/dpkg', join(root, 'var/lib/dpkg'), { recursive: true })
  // apt's scripts find awk by it.
  cpSync('/etc/alternatives', join(root, 'etc/alternatives'), { recursive: true, verbatimSymlinks: true })
  for (const name of ['shadow', 'login.defs', 'debian_version'])
    copyFileSync(join('/etc', name), join(root, 'etc', name))
}
