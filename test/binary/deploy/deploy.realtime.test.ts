/** What it promises, the deploy says; here a short one. A long one, from a release that was: `bun run deploy --from REV`. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { SEED } from '../../support/seed'
import { HANGS_AFTER_MS } from '../../support/until'
import { newFolder } from '../support'
import { nextRelease, today } from './build'
import { deploy } from './deploy'
import { inFolder, inPostgres } from './storage'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
afterAll(folder.remove)
const next = nextRelease(folder.path)

test('a data folder goes on with the next release, and no request fails for good', async () => {
  const told = await deploy({
    storage: inFolder(folder.path),
    first: today,
    steps: [{ build: next }],
    seed: SEED,
    issuesEach: 15,
  })
  expect(told).toMatchObject({ replaced: 1 })
  // Otherwise nothing was put to the test.
  expect(told.waited).toBeGreaterThan(0)
})

test('servers are replaced one after the other by the next release, and one of them back again, and nobody notices', async () => {
  const storage = await inPostgres()
  try {
    const told = await deploy({
      storage,
      first: today,
      steps: [{ build: next }, { build: today, servers: 1 }],
      seed: SEED,
      issuesEach: 12,
    })
    expect(told).toMatchObject({ replaced: 4 })
    expect(told.together).toContain(`${today.version} and ${next.version}`)
  } finally {
    await storage.close()
  }
})
