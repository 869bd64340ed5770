/** Backups of every earlier release, which the program of this tree restores and checks. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { newFolder, programIn, run, runJson } from '../binary/support'
import { tellEvidence } from '../support/evidence'
import { HANGS_AFTER_MS } from '../support/until'
import { RECORDED, unpackDatabase } from './fixture'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
afterAll(folder.remove)

describe.each(RECORDED.map((recorded) => [recorded.version, recorded] as const))(
  'a backup of %s',
  (version, recorded) => {
    const backup = join(folder.path, `${version}.db`)
    const data = join(folder.path, version)
    const program = programIn(folder.path, { WATCHWORD_SECRET: recorded.secret, WATCHWORD_DATA: data })

    test('is restored, with its apps, its money and its whole audit log', async () => {
      unpackDatabase(version, backup)
      expect(await run(program, 'restore', backup, '--yes')).toMatchObject({ exitCode: 0 })
      expect((await runJson(program, 'app', 'list')).apps).toMatchObject([{ appId: recorded.appId }])
      expect(await runJson(program, 'audit', 'verify')).toMatchObject({ isIntact: true })
      tellEvidence('restores', 1)
    })

    test('passes the check of a restore', async () => {
      expect(await run(program, 'restore', '--check', backup)).toMatchObject({ exitCode: 0 })
      tellEvidence('restores', 1)
    })
  },
)
