/** What a move leaves in the databases it goes between, so that no server starts on the wrong one. */

/** The facts that hold a mark: of a source, and of a target. */
export const MOVED_TO = 'moved_to'
export const MOVED_FROM = 'moved_from'

/** That of a database that is not to be worked on. */
export const MARKED = `SELECT value FROM facts WHERE name = '${MOVED_TO}'`

export interface Mark {
  /** Of the move. */
  id: string
  /** As people name the two, without passwords. */
  from: string
  to: string
  /** The target is whole. */
  isDone?: boolean
}

/** A move that cannot begin, or end. */
export class MoveError extends Error {
  override name = 'MoveError'
  constructor(
    readonly code: 'conflict' | 'in_use' | 'damaged_database' | 'not_the_same',
    message: string,
  ) {
    super(message)
  }
}

export class MovedError extends Error {
  override name = 'MovedError'
}

/** For who opens a database to work on it; `marked` is what `MARKED` has found. Throws `MovedError`. */
export function assertInPlace([marked]: ReadonlyArray<{ value: Uint8Array }>): void {
  if (!marked) return
  const { from, to, isDone }: Mark = JSON.parse(Buffer.from(marked.value).toString())
  // What is printed can be typed: a URL may have a `&`.
  const next = isDone
    ? `has been moved to ${to}: start the server there.`
    : `is being moved to ${to}: repeat \`watchword move --from '${from}' --to '${to}'\`.`
  throw new MovedError(`${from} ${next} To go on here all the same: \`watchword move --undo --from '${from}'\`.`)
}
