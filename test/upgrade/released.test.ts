/** What has been released never changes: databases out there have the checksum of each migration. */
import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { version } from '../../package.json'
import { MIGRATIONS as OF_POSTGRES } from '../../src/store/postgres/connection/migrate'
import { MIGRATIONS as OF_SQLITE } from '../../src/store/sqlite/connection/migrate'
import { newFolder } from '../binary/support'
import { dumpOf, RECORDED, unpackDatabase } from './fixture'

const folder = newFolder()
afterAll(folder.remove)

function ofFile(release: string): string {
  const file = join(folder.path, `${release}.db`)
  unpackDatabase(release, file)
  using db = new Database(file, { readonly: true })
  const fact = db.query<{ value: Uint8Array }, []>("SELECT value FROM facts WHERE name = 'migrations'").get()
  return Buffer.from(fact?.value ?? []).toString()
}

/** PostgreSQL writes bytes in hexadecimal. */
const ofDump = (release: string): string =>
  Buffer.from(/\('migrations', '\\x([0-9a-f]+)'/.exec(dumpOf(release))?.[1] ?? '', 'hex').toString()

const checksumOf = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

/** What to do where a released migration is another one now. */
function changedOf(release: string, recorded: string, migrations: readonly string[]): string[] {
  const checksums = recorded.split('\n')
  const next = String(migrations.length + 1).padStart(4, '0')
  return checksums.flatMap((checksum, n) =>
    checksumOf(migrations[n] ?? '') === checksum
      ? []
      : [`${String(n + 1).padStart(4, '0')}_… may not change any more: ${release} has it; add ${next}_….sql`],
  )
}

test('the newest recorded databases are those of the newest release', () => {
  expect(RECORDED.at(-1)?.version).toBe(version)
})

describe.each(RECORDED.map((recorded) => recorded.version))('of %s', (release) => {
  test.each([
    ['sqlite', ofFile, OF_SQLITE],
    ['postgres', ofDump, OF_POSTGRES],
  ] as const)('no migration of %s has changed', (_, recordedOf, migrations) => {
    expect(changedOf(release, recordedOf(release), migrations)).toEqual([])
  })
})
