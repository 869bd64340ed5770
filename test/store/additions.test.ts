import { expect, test } from 'bun:test'
import { Additions } from '../../src/store/postgres/batching/additions'
import { plain } from '../../src/store/postgres/connection/statement'

const into = (table: string) =>
  plain(
    (place) => `INSERT INTO ${table} VALUES (${place(1)}, ${place(2)}, ${place(1)})`,
    ({ a, b }) => [a, b],
  )
const first = into('first')
const second = into('second')

test('rows that follow each other are one statement, with the parameters of each', () => {
  const additions = new Additions()
  additions.add(first, { a: 'a', b: 'b' })
  additions.add(second, { a: 'c', b: 'd' })
  additions.add(first, { a: 'e', b: 'f' })
  expect(additions.take()).toEqual({
    text: 'WITH added_1 AS (INSERT INTO first VALUES ($1, $2, $1)),added_2 AS (INSERT INTO second VALUES ($3, $4, $3)) INSERT INTO first VALUES ($5, $6, $5)',
    values: ['a', 'b', 'c', 'd', 'e', 'f'],
  })
})

test('one row alone is its own statement', () => {
  const additions = new Additions()
  additions.add(first, { a: 1, b: 2 })
  expect(additions.take()).toEqual({ text: first.text, values: [1, 2] })
})

test('what was taken does not come again, and the same rows have the same text: it is prepared once', () => {
  const additions = new Additions()
  const texts = [1, 2].map((value) => {
    additions.add(first, { a: value, b: value })
    additions.add(second, { a: value, b: value })
    return additions.take()?.text
  })
  expect(texts[0]).toBe(texts[1] as string)
  expect(additions.take()).toBeUndefined()
})

test('it is full with eight: every connection keeps the texts it has prepared', () => {
  const additions = new Additions()
  for (let row = 1; row <= 8; row++) {
    expect(additions.isFull).toBe(false)
    additions.add(first, { a: row, b: row })
  }
  expect(additions.isFull).toBe(true)
  additions.take()
  expect(additions.isFull).toBe(false)
})
