/** What a line of the log says of an error: why a database has failed, and nothing that it was given. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { errorFields, Refusal } from '../../src/domain/shared/error'
import { cannotWrite } from '../../src/store/failure'

/** As Bun throws them. */
const postgres = (errno: string | undefined, message: string) =>
  Object.assign(new Error(message), {
    name: 'PostgresError',
    code: errno ? 'ERR_POSTGRES_SERVER_ERROR' : 'ERR_POSTGRES_CONNECTION_CLOSED',
    ...(errno && { errno }),
    detail: 'Failing row contains (+821012345678).',
  })

test('of PostgreSQL: SQLSTATE and its sentence, also where it is what a refusal is for', () => {
  const full = postgres('53100', 'could not extend file: No space left on device')
  const said = {
    err: 'PostgresError',
    code: 'ERR_POSTGRES_SERVER_ERROR',
    sqlState: '53100',
    cause: 'could not extend file: No space left on device',
  }
  expect(errorFields(full)).toEqual(said)
  expect(errorFields(cannotWrite(full))).toEqual(said)
  expect(errorFields(postgres(undefined, 'Connection closed'))).toEqual({
    err: 'PostgresError',
    code: 'ERR_POSTGRES_CONNECTION_CLOSED',
    cause: 'Connection closed',
  })
  expect(errorFields(new Error('lost', { cause: full }))).toEqual({ ...said, err: 'Error' })
})

test.each(['22P02', 'P0001', 'XX000', 'WW402'])(
  'of SQLSTATE %s no sentence, which may quote what was given',
  (state) => {
    const told = JSON.stringify(errorFields(postgres(state, 'invalid input: "+821012345678"')))
    expect(told).toContain(state)
    expect(told).not.toContain('8210')
  },
)

test('of SQLite: its code and sentence', () => {
  const db = new Database(':memory:')
  db.run('CREATE TABLE one (n INTEGER PRIMARY KEY)')
  db.run('INSERT INTO one VALUES (123456)')
  let thrown: unknown
  try {
    db.query('INSERT INTO one VALUES (?)').run(123456)
  } catch (error) {
    thrown = error
  }
  expect(errorFields(thrown)).toEqual({
    err: 'SQLiteError',
    code: 'SQLITE_CONSTRAINT_PRIMARYKEY',
    cause: 'UNIQUE constraint failed: one.n',
  })
})

test('of all else its name and code only', () => {
  expect(errorFields(new RangeError('12345678'))).toEqual({ err: 'RangeError' })
  expect(errorFields(Object.assign(new Error('/secret/path'), { code: 'ENOSPC' }))).toEqual({
    err: 'Error',
    code: 'ENOSPC',
  })
  expect(errorFields(new Refusal('unavailable', 'busy'))).toEqual({ err: 'Refusal' })
  expect(errorFields('thrown')).toEqual({ err: 'unknown' })
})
