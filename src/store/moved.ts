/** What a move leaves in the databases it goes between, so that no server starts on the wrong one. */

/** The facts that hold a mark: of a target that is not whole yet, of a source, and of a target that is. */
export const MOVING = 'moving'
export const MOVED_TO = 'moved_to'
export const MOVED_FROM = 'moved_from'

/** Those with which a database is not to be worked on. */
export const MARKED = `SELECT name, value FROM facts WHERE name IN ('${MOVING}', '${MOVED_TO}')`

export interface Mark {
  /** Of the move. */
  id: string
  /** As people name the two, without passwords. */
  from: string
  to: string
  /** The source has been left for good. */
  isDone?: boolean
  /** How far the target has come. */
  at?: Place
}

/** The table that was written last, and the key of its last row. */
export interface Place {
  table: string
  after: readonly string[]
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
export function assertInPlace(marked: ReadonlyArray<{ name: string; value: Uint8Array }>): void {
  for (const { name, value } of marked) throw new MovedError((name === MOVING ? unfinished : left)(markIn(value)))
}

const markIn = (value: Uint8Array): Mark => JSON.parse(Buffer.from(value).toString())

/** What is printed can be typed: a URL may have a `&`. */
const commandOf = ({ from, to }: Mark) => `watchword move --from '${from}' --to '${to}'`

const unfinished = (mark: Mark) =>
  `${mark.to} is half of a move from ${mark.from}: go on with \`${commandOf(mark)}\`, or empty it.`

const left = (mark: Mark) =>
  mark.isDone
    ? `${mark.from} has been moved to ${mark.to}: start the server there. ${undoing(mark)}`
    : `${mark.from} is being moved to ${mark.to}: go on with \`${commandOf(mark)}\`. ${undoing(mark)}`

const undoing = ({ from }: Mark) => `To go on here all the same: \`watchword move --undo --from '${from}'\`.`
