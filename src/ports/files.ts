/** Files beside the database: backups, the list of erasures and the audit head. */

/** A copy of the database. */
export interface Backup {
  name: string
  bytes: number
  at: number
}

/** The backups of a server. */
export interface Backups {
  /** Newest first. */
  made: Backup[]
  /** When a backup last failed, Unix milliseconds. */
  failedAt?: number | undefined
  failedBecause?: string | undefined
  /** When the server makes the next backup by itself, Unix milliseconds. */
  nextAt?: number | undefined
}

/**
 * Lines outside the database, one for each erased phone; see `domain/operations/erasure.ts`. Writes are on disk when
 * they return.
 */
export interface ErasedFile {
  /** Empty where there is no such file. Throws where it cannot be read. */
  read(): string[]
  add(lines: readonly string[]): void
  /** Replaces all lines. */
  write(lines: readonly string[]): void
}

/** The head of the audit log, outside the database; see `domain/operations/audit.ts`. */
export interface HeadFile {
  /** Undefined where there is no such file. Throws where it cannot be read. */
  read(): string | undefined
  /** The line is on disk when this returns. */
  write(line: string): void
  remove(): void
}
