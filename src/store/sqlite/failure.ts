/** What SQLite could not do, as the outside is told. */
import { unavailable } from '../../domain/error'

export const isStorageError = (error: unknown) => error instanceof Error && error.name === 'SQLiteError'

/** The cause stays inside; callers learn only that trying again may help. */
export const cannotRead = (cause: unknown) =>
  Object.assign(unavailable('The store cannot be read at the moment'), { cause })

const translated = (error: unknown) => (isStorageError(error) ? cannotRead(error) : error)

type Read = (...args: unknown[]) => Promise<unknown> | AsyncIterable<unknown>

/** Doors for reading whose calls throw `unavailable` where the database cannot be read. */
export function guarded<Doors extends object>(doors: Doors): Doors {
  const entries = Object.entries(doors).map(([name, door]) => [
    name,
    typeof door === 'function' ? guardedRead(door as Read) : guarded(door),
  ])
  return Object.fromEntries(entries)
}

function guardedRead(read: Read): Read {
  return (...args) => {
    const answer = read(...args)
    return answer instanceof Promise ? answer.catch((error) => Promise.reject(translated(error))) : pages(answer)
  }
}

async function* pages(answer: AsyncIterable<unknown>) {
  try {
    yield* answer
  } catch (error) {
    throw translated(error)
  }
}
