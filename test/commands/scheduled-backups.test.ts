/** Backups that the server has made at their times: whether one is there is told by files, the log and the doctor. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { chownSync, existsSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkBackups } from '../../src/cli/doctor/disk'
import type { Check } from '../../src/cli/doctor/finding'
import { backupsOf, scheduleBackups } from '../../src/cli/scheduled-backups'
import { readConfig } from '../../src/config'
import type { Log } from '../../src/ports/log'
import { listBackups, removeLeftovers, unreadableBackups } from '../../src/system/backups'
import { fromSource, newFolder, runJson } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

let folder: ReturnType<typeof newFolder>
let dataDir: string
let minute: () => Promise<void>
let end: () => void
const logged: Array<[string, object, string]> = []
const note = (level: string) => (fields: object, message: string) => void logged.push([level, fields, message])
const log: Log = { debug() {}, info: note('info'), warn: note('warn'), error: note('error') }

const configOf = (at: string) => readConfig({}, { DATA: dataDir, BACKUP_AT: at, BACKUP_KEEP: '1' })
const found = async () => {
  const findings = await checkBackups({ config: configOf('03:00'), now: Date.now() } as Parameters<Check>[0])
  return findings.map(({ state, message }) => `${state}: ${message}`)
}

beforeEach(async () => {
  folder = newFolder()
  dataDir = join(folder.path, 'data')
  logged.length = 0
  await runJson(fromSource(folder.path), 'app', 'create', 'shop', '--data', dataDir)
  end = scheduleBackups(configOf('03:00,15:00'), log, (_, run) => {
    minute = run
    return () => {}
  })
})
afterEach(() => {
  end()
  folder.remove()
})

test('one is made where it is due, and then none until it is due again', async () => {
  await minute()
  const [made] = listBackups(dataDir)
  expect(logged).toMatchObject([
    [
      'info',
      { name: made?.name, bytes: made?.bytes, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), audit: { entries: 1 } },
      'backup made',
    ],
  ])
  await minute()
  expect(listBackups(dataDir)).toHaveLength(1)
  const file = join(dataDir, 'backups', made?.name ?? '')
  utimesSync(file, 0, 0)
  await minute()
  expect(listBackups(dataDir).map(({ name }) => name)).not.toContain(made?.name)
  expect(logged).toHaveLength(2)
  expect(await found()).toEqual([expect.stringMatching(/^ok: .* The server makes the next one at /)])
})

test('a command that stays makes them as well, without a server, until it is told to stop', async () => {
  const { command, cwd } = fromSource(folder.path)
  const child = Bun.spawn([...command, 'backup', '--schedule', '03:00', '--data', dataDir], {
    ...{ cwd, env: {}, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  })
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) if (text.includes('backup made')) break
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  expect(listBackups(dataDir)).toHaveLength(1)
})

test('one that is not made is told, is tried for again an hour later, and forgotten once one is made', async () => {
  const database = join(dataDir, 'watchword.db')
  const bytes = await Bun.file(database).bytes()
  writeFileSync(database, 'not a database at all')
  await minute()
  await minute()
  expect(logged).toMatchObject([['error', { exitCode: 1 }, 'no backup was made']])
  expect(await found()).toEqual([
    expect.stringMatching(/^problem: The last backup that was tried for, at .* was not made/),
    'warn: There are no backups.',
  ])
  writeFileSync(database, bytes)
  utimesSync(join(dataDir, 'backup-failed'), 0, 0)
  await minute()
  expect(backupsOf(configOf('03:00'))).toMatchObject({ made: [{}], failedAt: undefined })
})

test('a folder that cannot be read keeps nobody from starting, and is told', async () => {
  writeFileSync(join(dataDir, 'backups'), 'no folder')
  expect(removeLeftovers(dataDir)).toEqual([])
  expect(unreadableBackups(dataDir)).toMatch(/ENOTDIR/)
  await minute()
  expect(backupsOf(configOf('03:00'))).toMatchObject({
    made: [],
    failedBecause: expect.stringMatching(/EEXIST|ENOTDIR/),
  })
  // Not again within the hour, although nothing can be written there.
  await minute()
  expect(logged).toHaveLength(1)
  expect(await found()).toEqual([
    expect.stringMatching(/^problem: The folder of the backups cannot be read: ENOTDIR/),
    expect.stringMatching(/^problem: The last backup that was tried for, at .* was not made: .*(EEXIST|ENOTDIR)/),
    'warn: There are no backups.',
  ])
})

test('what root makes belongs to the owner of the data folder', async () => {
  if (process.getuid?.() !== 0) return
  chownSync(dataDir, 1_234, 1_234)
  await minute()
  const folder = join(dataDir, 'backups')
  const owners = [folder, join(folder, listBackups(dataDir)[0]?.name ?? '')].map((path) => statSync(path).uid)
  expect(owners).toEqual([1_234, 1_234])
})

test('one that is being made when the server goes is given up, and is no failure', async () => {
  const making = minute()
  end()
  await making
  expect([logged, backupsOf(configOf('03:00')).failedAt]).toEqual([[], undefined])
})

test('a backup removes what a killed one has left, and leaves one alone that is being made', async () => {
  await minute()
  const [left, journal, made] = ['x.db.unfinished', 'x.db.unfinished-journal', 'y.db.unfinished'].map((name) =>
    join(dataDir, 'backups', `watchword-${name}`),
  ) as [string, string, string]
  for (const file of [left, journal]) writeFileSync(file, '')
  using making = new Database(made)
  making.run('BEGIN EXCLUSIVE')
  rmSync(join(dataDir, 'backups', listBackups(dataDir)[0]?.name ?? ''))
  await minute()
  expect([left, journal, made].map((file) => existsSync(file))).toEqual([false, false, true])
})

test('a backup of a clock that was ahead counts neither as newest nor as made, and is not kept for the new one', async () => {
  await minute()
  const [ahead] = listBackups(dataDir)
  const future = (Date.now() + 30 * 86_400_000) / 1_000
  utimesSync(join(dataDir, 'backups', ahead?.name ?? ''), future, future)
  expect(await found()).toEqual(['warn: There are no backups.'])
  await minute()
  // One is kept.
  expect(listBackups(dataDir).map(({ name }) => name)).not.toEqual([ahead?.name ?? ''])
  expect(listBackups(dataDir)).toHaveLength(1)
})
