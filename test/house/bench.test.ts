/** The benchmark writes into our tables past the store: when they change, it has to. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { fill } from '../../bench/fill'
import { FilePlace } from '../support/place'
import { World } from '../support/world'

test('what the benchmark fills a database with fits its tables', async () => {
  const world = await World.start({ place: new FilePlace() })
  const { appId } = await world.furnish()
  fill({ file: world.file, appId, issues: 200, days: 2, until: world.clock.now() })
  const db = new Database(world.file, { readonly: true })
  expect(db.query("SELECT count(*) AS issues FROM issues WHERE key_kind = 'sk'").get()).toEqual({ issues: 200 })
  db.close()
  await world.stop()
})
