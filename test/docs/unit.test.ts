/** The unit of systemd. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeSettings } from '../../src/config'
import { ROOT } from '../binary/support'

const UNIT = join(ROOT, 'deploy/watchword.service')
const lines = readFileSync(UNIT, 'utf8').split('\n')

test('it starts what there is, with settings that there are', () => {
  expect(lines.filter((line) => !/^(#.*|\[[A-Z]\w+\]|[A-Z]\w+=.*|)$/.test(line))).toEqual([])
  const settings = lines.flatMap((line) => /^Environment=(\w+)=/.exec(line)?.[1] ?? [])
  const known = describeSettings().map(({ name }) => name)
  expect(settings.length).toBeGreaterThan(0)
  expect(settings.filter((name) => !known.includes(name))).toEqual([])
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
  'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallFilter=~@privileged @resources',
  'UMask=0077',
  'User=watchword',
]

test('it leaves no core file, has descriptors enough, and takes every protection that a JIT and a server can have', () => {
  expect(['LimitCORE=0', 'LimitNOFILE=65536', ...ASKED_FOR].filter((line) => !lines.includes(line))).toEqual([])
  expect(lines.filter((line) => line.startsWith('MemoryDenyWriteExecute='))).toEqual([])
})

/** In tenths, as `--threshold` takes it: some more than the comment in the unit says, since releases of systemd differ. */
const EXPOSURE = 15

test.if(Bun.which('systemd-analyze') !== null)('where there is systemd, it says so too', () => {
  const options = ['--offline=true', `--threshold=${EXPOSURE}`, '--no-pager']
  const { exitCode, stdout } = Bun.spawnSync(['systemd-analyze', 'security', ...options, UNIT])
  expect({ exitCode, said: stdout.toString() }).toMatchObject({ exitCode: 0 })
})
