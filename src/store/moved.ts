/** Marks that a move leaves in both databases, so that no server starts on the wrong one. */

/** Names of the facts that hold the marks of the source and of the target. */
export const MOVED_TO = 'moved_to'
export const MOVED_FROM = 'moved_from'

/** Reads the mark of a database that must not be used any more. */
export const FIND_MARK = `SELECT value FROM facts WHERE name = '${MOVED_TO}'`

export interface Mark {
  id: string
  /** Display names of both databases, without passwords. */
  from: string
  to: string
  /** Whether the target is complete. */
  isDone?: boolean
}

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

/** Checks a database that is being opened; `marked` is the result of `MARKED`. Throws `MovedError`. */
export function assertNotMoved([marked]: ReadonlyArray<{ value: Uint8Array }>): void {
  if (!marked) return
  const { from, to, isDone }: Mark = JSON.parse(Buffer.from(marked.value).toString())
  // The printed command can be pasted into a shell: a URL may contain `&`, so it is quoted.
  const next = isDone
    ? `has been moved to ${to}: start the server there.`
    : `is being moved to ${to}: repeat \`watchword move --from '${from}' --to '${to}'\`.`
  throw new MovedError(`${from} ${next} To go on here all the same: \`watchword move --undo --from '${from}'\`.`)
}
