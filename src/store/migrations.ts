/** Checksums and progress of migrations, the same for every kind of database. */
import { VERSION } from '../domain/operations/version'

/** Name of the fact that stores a checksum of each applied migration, in order. */
export const MIGRATIONS_FACT = 'migrations'

export class ChangedMigrationError extends Error {
  override name = 'ChangedMigrationError'
}

export interface MigrationStep {
  migration: number
  /** Number of the last migration. */
  of: number
}

/** Of each migration, once: a start compares them several times. */
const checksums = new Map<string, string>()
function checksumOf(text: string): string {
  const checksum = checksums.get(text) ?? new Bun.CryptoHasher('sha256').update(text).digest('hex')
  checksums.set(text, checksum)
  return checksum
}

/**
 * The checksums to store once `texts` are applied; undefined where `stored` has them already. Migrations applied before
 * checksums were stored count as unchanged. Throws `ChangedMigrationError`.
 */
export function checksumsToStore(stored: string | undefined, texts: readonly string[]): string | undefined {
  const known = texts.map(checksumOf)
  const applied = stored?.split('\n') ?? []
  const changed = known.findIndex((checksum, n) => applied[n] !== undefined && applied[n] !== checksum)
  if (changed >= 0)
    throw new ChangedMigrationError(
      `Migration ${changed + 1} of the database is not the one that this build (${VERSION}) brings: it was changed after it had been applied. ` +
        'Run the build that opened the database last, or restore a backup that this build can open.',
    )
  return applied.length < known.length ? known.join('\n') : undefined
}
