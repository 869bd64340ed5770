/**
 * A machine that systemd has booted, with this one's programs and the units of `deploy`: a container that shares nothing of
 * this machine but `/usr`, the network and the kernel. Needs Debian's package `systemd-container`, and root.
 */
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { newFolder, type Program, ROOT } from '../binary/support'
import { programNamed } from './proxies'
import { until } from './until'

const UNITS = ['watchword.service', 'watchword.socket'] as const
/** The user and group of the units; nobody of this machine has the number. */
const OWN_USER = 64_321

export interface Machine {
  /** Runs a command in it as root, and answers what it wrote; throws where it fails. */
  run(...command: string[]): Promise<string>
  /** Runs the program in it as the service does. */
  program: Program
  stop(): Promise<void>
}

/** Boots one whose service has this binary, listens on this port, and has these lines in its settings. */
export async function bootMachine(binary: string, port: number, settings: Record<string, string>): Promise<Machine> {
  const { path: root, remove } = newFolder()
  layOutMachine(root)
  for (const folder of ['etc/watchword', 'usr/local/bin']) mkdirSync(join(root, folder), { recursive: true })
  const id = `${OWN_USER}:`
  appendFileSync(join(root, 'etc/passwd'), `watchword:x:${id}${id}:/:/bin/false\n`)
  appendFileSync(join(root, 'etc/group'), `watchword:x:${id}\n`)
  copyFileSync(binary, join(root, 'usr/local/bin/watchword'))
  for (const unit of UNITS) writeFileSync(join(root, 'etc/systemd/system', unit), unitOf(unit, port))
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(join(root, 'etc/watchword/watchword.env'), lines.join(''))

  const shared = readdirSync('/usr').filter((name) => name !== 'local')
  const container = await bootRoot(
    root,
    shared.map((name) => `--bind-ro=/usr/${name}`),
  )
  return {
    run: container.run,
    program: {
      command: container.command(
        ...['setpriv', '--reuid=watchword', '--regid=watchword', '--clear-groups', '/usr/local/bin/watchword'],
      ),
      cwd: '/',
      env: { PATH: process.env.PATH, WATCHWORD_DATA: '/var/lib/watchword', ...settings },
    },
    async stop() {
      await container.stop()
      remove()
    },
  }
}

/** Boots what is in a folder, with what it gets of this machine: `--bind-ro` or `--overlay` of systemd-nspawn. */
export async function bootRoot(root: string, mounts: readonly string[]) {
  const container = Bun.spawn(
    [
      programNamed('systemd-nspawn'),
      ...['--quiet', '--boot', '--register=no', '--keep-unit', '--console=read-only', `--directory=${root}`],
      ...mounts,
    ],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  )
  const said = new Response(container.stderr).text()
  const command = (...words: string[]) => [
    ...['nsenter', '--target', String(leaderOf(container.pid)), '--all'],
    ...words,
  ]
  const run = async (...words: string[]) => {
    const child = Bun.spawn(command(...words), { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, exitCode] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    if (exitCode !== 0) throw new Error(`${words.join(' ')} exited with ${exitCode}: ${stderr}${stdout}`)
    return stdout
  }
  const isUp = async () => {
    if (container.exitCode !== null) throw new Error(`The container ended: ${await said}`)
    if (leaderOf(container.pid) === undefined) return false
    return (await run('systemctl', 'is-system-running').catch(() => '')).startsWith('running')
  }
  await until(isUp, 'systemd to boot')
  return {
    command,
    run,
    async stop() {
      // With its first process everything in it ends, and then what keeps it.
      const leader = leaderOf(container.pid)
      if (leader !== undefined) process.kill(leader, 'SIGKILL')
      await container.exited
    },
  }
}

/** As a machine has it before anything is installed. */
export function layOutMachine(root: string): void {
  // Its services, which are not root, go through it.
  chmodSync(root, 0o755)
  for (const folder of ['etc/systemd/system', 'usr', 'var/lib', 'tmp', 'root'])
    mkdirSync(join(root, folder), { recursive: true })
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name))
  for (const name of ['passwd', 'group']) copyFileSync(`/etc/${name}`, join(root, 'etc', name))
  writeFileSync(join(root, 'etc/machine-id'), '')
  writeFileSync(join(root, 'etc/os-release'), 'ID=test\n')
}

/** As it is in `deploy`, but for the port. */
function unitOf(name: string, port: number): string {
  return readFileSync(join(ROOT, 'deploy', name), 'utf8').replaceAll('127.0.0.1:8787', `127.0.0.1:${port}`)
}

/** The first process in the container: the child of the one that keeps it. */
function leaderOf(keeper: number): number | undefined {
  const [child] = readFileSync(`/proc/${keeper}/task/${keeper}/children`, 'utf8').split(' ')
  return child ? Number(child) : undefined
}
