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

/** A line outside of the database; see `domain/audit.ts`. */
export interface HeadFile {
  /** Undefined where there is none. Throws where it cannot be read. */
  read(): string | undefined
  /** On disk when it returns. */
  write(line: string): void
  remove(): void
}
