/** What lies beside the database. */

/** A copy of the database. */
export interface Backup {
  name: string
  bytes: number
  at: number
}

/** A line outside of the database; see `domain/audit.ts`. */
export interface HeadFile {
  /** Undefined where there is none. Throws where it cannot be read. */
  read(): string | undefined
  /** On disk when it returns. */
  write(line: string): void
  remove(): void
}
