/** Migrations of a database: whether it had these very ones, and how far they are. The same for every kind of database. */
import { VERSION } from '../domain/operations/version'

/** The fact that has a checksum for each applied migration, in their order. */
export const MIGRATIONS_FACT = 'migrations'

export class ChangedMigrationError extends Error {
  override name = 'ChangedMigrationError'
}

/** A migration that is about to be applied. */
export interface MigrationStep {
  migration: number
  /** The number of the last one. */
  of: number
}

const checksumOf = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

/**
 * What is to be stored of `texts` once they are applied; undefined where `stored` says it already. What was applied before
 * checksums were stored is taken for what it is here. Throws `ChangedMigrationError`.
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
