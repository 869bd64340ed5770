/** Worlds take their file and its connections from the one before, and nothing that it wrote. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { ReusedFile } from '../support/reused-file'
import { KAKAO_URL, World } from '../support/world'

const NAME = 'named-as-nothing-else'

/** How many rows each table has. */
async function rowsOf(place: ReusedFile): Promise<Record<string, unknown>> {
  const tables = await place.rows<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
  return Object.fromEntries(
    await Promise.all(tables.map(async ({ name }) => [name, await place.rows(`SELECT count(*) AS n FROM ${name}`)])),
  )
}

test('a world finds nothing of the one before, neither in tables nor in the bytes of its file', async () => {
  const left = ReusedFile.find()
  const unused = await rowsOf(left)
  const world = await World.start({ place: left })
  const { live } = await world.furnish()
  await world.provide(NAME, ['alimtalk'], KAKAO_URL)
  const issue = { phoneNumber: '010-1234-5678', purpose: 'login', idempotencyKey: 'key' }
  expect(await world.call('rest', 'issue', issue, { key: live })).toMatchObject({ status: 200 })
  await world.advance(10_000)
  expect(await rowsOf(left)).not.toEqual(unused)
  await world.stop()

  const found = ReusedFile.find()
  expect(await rowsOf(found)).toEqual(unused)
  expect(found.dir).toBe(left.dir)
  for (const end of ['', '-wal']) expect(readFileSync(`${found.file}${end}`, 'latin1')).not.toContain(NAME)
  await found.remove()
})
