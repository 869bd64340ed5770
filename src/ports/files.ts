/** What lies beside the database. */

/** A copy of the database. */
export interface Backup {
  name: string
  bytes: number
  at: number
}

/** What there is of them. */
export interface Backups {
  /** Newest first. */
  made: Backup[]
  /** When the last one that was tried for was not made. */
  failedAt?: number | undefined
  /** When the server has the next one made by itself. */
  nextAt?: number | undefined
}

/** Lines outside of the database, one for each phone that was erased; see `domain/erasure.ts`. Each is on disk when a word of it returns. */
export interface ErasedFile {
  /** None where there is no such file. Throws where it cannot be read. */
  read(): string[]
  add(lines: readonly string[]): void
  /** In the place of all before. */
  write(lines: readonly string[]): void
}

/** A line outside of the database; see `domain/audit.ts`. */
export interface HeadFile {
  /** Undefined where there is none. Throws where it cannot be read. */
  read(): string | undefined
  /** On disk when it returns. */
  write(line: string): void
  remove(): void
}
