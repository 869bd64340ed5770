/** What systemd starts. */
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { judgeMachine } from '../../src/cli/doctor/machine'
import { describeSettings } from '../../src/config'
import { newFolder, ROOT } from '../binary/support'

const hasSystemd = Bun.which('systemd-analyze') !== null

const UNITS = ['watchword.service', 'watchword-backup.service'] as const
const pathOf = (name: string) => join(ROOT, 'deploy', name)
const linesOf = (name: string) => readFileSync(pathOf(name), 'utf8').split('\n')

test.each([...UNITS, 'watchword-backup.timer'])('%s is one', (name) => {
  expect(linesOf(name).filter((line) => !/^(#.*|\[[A-Z]\w+\]|[A-Z]\w+=.*|)$/.test(line))).toEqual([])
})

test.if(hasSystemd)('systemd knows each setting in them, and takes its value', () => {
  const { path, remove } = newFolder()
  // It looks for the program, too.
  const installed = [...UNITS, 'watchword-backup.timer'].map((name) => {
    const copy = join(path, name)
    writeFileSync(copy, readFileSync(pathOf(name), 'utf8').replaceAll('/usr/local/bin/watchword', '/bin/true'))
    return copy
  })
  const { exitCode, stderr } = Bun.spawnSync(['systemd-analyze', 'verify', '--man=no', ...installed])
  const about = (line: string) => line.includes(path)
  expect({ exitCode, said: stderr.toString().split('\n').filter(about) }).toEqual({ exitCode: 0, said: [] })
  remove()
})

test('their settings are some that there are', () => {
  const settings = linesOf('watchword.env').flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? [])
  const known = describeSettings().map(({ name }) => name)
  expect(settings.length).toBeGreaterThan(0)
  expect(settings.filter((name) => !known.includes(name))).toEqual([])
  for (const unit of UNITS) expect(linesOf(unit)).toContain('EnvironmentFile=/etc/watchword/watchword.env')
})

test('a unit names its data folder by the environment, so that its settings may name a PostgreSQL instead', () => {
  for (const unit of UNITS) {
    expect(linesOf(unit)).toContain('Environment=WATCHWORD_DATA=/var/lib/watchword')
    expect(linesOf(unit).filter((line) => /^ExecStart=.*--data/.test(line))).toEqual([])
  }
})

test('a server is started again for as long as it takes', () => {
  const lines = linesOf('watchword.service')
  expect(lines.slice(0, lines.indexOf('[Service]'))).toContain('StartLimitIntervalSec=0')
  expect(lines.filter((line) => line.startsWith('Restart'))).toEqual(['Restart=always', 'RestartSec=1s'])
})

/** Each line is a question of `systemd-analyze security`, where the unit says yes. */
const ASKED_FOR = [
  'NoNewPrivileges=true',
  'CapabilityBoundingSet=',
  'AmbientCapabilities=',
  'RestrictSUIDSGID=true',
  'ProtectSystem=strict',
  'ProtectHome=true',
  'PrivateTmp=true',
  'PrivateMounts=true',
  'PrivateDevices=true',
  'DevicePolicy=closed',
  'PrivateUsers=true',
  'RemoveIPC=true',
  'KeyringMode=private',
  'ProtectClock=true',
  'ProtectHostname=true',
  'ProtectKernelLogs=true',
  'ProtectKernelModules=true',
  'ProtectKernelTunables=true',
  'ProtectControlGroups=true',
  'ProtectProc=invisible',
  'ProcSubset=pid',
  'LockPersonality=true',
  'RestrictNamespaces=true',
  'RestrictRealtime=true',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallFilter=~@privileged @resources',
  'UMask=0077',
  'User=watchword',
  'LimitCORE=0',
]

describe.each(UNITS)('%s', (unit) => {
  test('leaves no core file, and takes every protection that a JIT can have', () => {
    const lines = linesOf(unit)
    expect(ASKED_FOR.filter((line) => !lines.includes(line))).toEqual([])
    expect(lines.filter((line) => line.startsWith('MemoryDenyWriteExecute='))).toEqual([])
  })

  test.if(hasSystemd)('where there is systemd, it says so too', () => {
    const options = ['--offline=true', `--threshold=${EXPOSURE}`, '--no-pager']
    const { exitCode, stdout } = Bun.spawnSync(['systemd-analyze', 'security', ...options, pathOf(unit)])
    expect({ exitCode, said: stdout.toString() }).toMatchObject({ exitCode: 0 })
  })
})

test('a server has the internet, and descriptors enough; a backup has no network at all', () => {
  expect(linesOf('watchword.service')).toContain('RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX')
  expect(linesOf('watchword.service')).toContain('LimitNOFILE=65536')
  expect(linesOf('watchword-backup.service')).toContain('PrivateNetwork=true')
})

test('the doctor is content with what a server gets', () => {
  const given = (setting: string) => {
    const [, number, unit = ''] =
      new RegExp(`^${setting}=(\\d+)(M|G)?$`, 'm').exec(linesOf('watchword.service').join('\n')) ?? []
    return Number(number) * ({ M: 2 ** 20, G: 2 ** 30 }[unit] ?? 1)
  }
  const box = {
    ...{ descriptors: given('LimitNOFILE'), memory: given('MemoryMax'), threads: given('TasksMax') },
    ...{ processors: undefined, waiting: undefined },
  }
  expect(judgeMachine({ name: 'It', box }, 400).map(({ message }) => message)).toEqual([
    'It has 65536 file descriptors, 1024 MiB of memory, 64 threads.',
  ])
})

/** In tenths, as `--threshold` takes it: some more than the comment in the unit says, since releases of systemd differ. */
const EXPOSURE = 15
