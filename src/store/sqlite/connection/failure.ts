/** Kinds of errors of SQLite. */
import { cannotRead } from '../../failure'

export const isStorageError = (error: unknown) => error instanceof Error && error.name === 'SQLiteError'

export const readFailure = (error: unknown) => (isStorageError(error) ? cannotRead(error) : error)

/** Another program holds the lock. */
export const isBusy = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY'
