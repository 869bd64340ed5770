/** What it promises, the deploy says; here a short one. A long one, from a release that was: `bun run deploy --from REV`. */
import { afterAll, expect, test } from 'bun:test'
import { newFolder } from '../support'
import { nextRelease, today } from './build'
import { deploy } from './deploy'
import { inFolder, inPostgres } from './storage'

const folder = newFolder()
afterAll(folder.remove)
const next = nextRelease(folder.path)
const seed = Date.now() % 1_000_000

test('a data folder goes on with the next release, and no request fails for good', async () => {
  const told = await deploy({
    storage: inFolder(folder.path),
    first: today,
    steps: [{ build: next }],
    seed,
    forMs: 1_000,
  })
  expect(told).toMatchObject({ replaced: 1 })
  // Otherwise nothing was put to the test.
  expect(told.issues).toBeGreaterThan(30)
  expect(told.waited).toBeGreaterThan(0)
  expect(told.beats).toBeGreaterThan(20)
}, 60_000)

test('servers are replaced one after the other by the next release, and one of them back again, and nobody notices', async () => {
  const storage = await inPostgres()
  try {
    const told = await deploy({
      storage,
      first: today,
      steps: [{ build: next }, { build: today, servers: 1 }],
      seed,
      forMs: 500,
    })
    expect(told).toMatchObject({ replaced: 4 })
    expect(told.together).toContain(`${today.version} and ${next.version}`)
    expect(told.issues).toBeGreaterThan(60)
  } finally {
    await storage.close()
  }
}, 120_000)
