/** What a statement reads on a database of the size at which it could hurt. It runs on the event loop, so it reads little. */
import './statements'
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import '../../src/console/rpc'
import { SQLITE as ofSQLite } from '../../src/store/dialect'
import { createDatabase, openStore } from '../../src/store/sqlite/open'
import { newFolder } from '../binary/support'
import { FilePlace, type Opening } from '../support/place'
import { HANGS_AFTER_MS } from '../support/until'
import { START, World } from '../support/world'
import { drive } from './drive'
import { DAYS, filling, fillingEvents, LARGE, LARGEST, SQLITE } from './fill'
import { type Execution, PageCounter } from './page-counter'
import { statementsIn } from './statements'

setDefaultTimeout(HANGS_AFTER_MS)

/** A page of a list is 500 rows of some 600 bytes. Reading so many takes a millisecond or two. */
const MOST_PAGES = 500
/** These ask each app: one or two pages of its own rows. */
const OF_EACH_APP = 3 * LARGE.apps
const ASKING_EACH_APP: readonly RegExp[] = [
  /^SELECT app_id FROM apps\s+WHERE EXISTS \(SELECT 1 FROM issues/,
  /^select .* from "apps"/,
  /^SELECT app_id AS appId, organization_id AS organizationId FROM apps/,
  /^delete from "traffic_hours"/,
]
/** Deletes 500 issues in one transaction, with all that belongs to them: pages are written and read again. */
const IN_BATCHES: readonly RegExp[] = [
  /^COMMIT/,
  /wal_checkpoint/,
  /^delete from /,
  /^SELECT total_changes/,
  /^select "issue_id" from "issues"/,
]

const allowedPages = ({ text }: Execution): number =>
  [...ASKING_EACH_APP, ...IN_BATCHES].some((one) => one.test(text)) ? OF_EACH_APP : MOST_PAGES

/** A transaction that begins reads what other programs have written; that is no statement's own. */
const IS_BEGIN = /^BEGIN/

/** Tables with a row for each message, or for each minute. */
const LONG_TABLES =
  /SCAN (issues|attempts|ledger_entries|jobs|webhook_events|webhook_deliveries|webhook_attempts|failures|decisions|traffic_hours|usage_intervals|audit_entries)\b/
/** Scans that are allowed, with the reason. This list may only shrink. */
const ALLOWED_SCANS: ReadonlyArray<readonly [statement: RegExp, because: string]> = [
  [/^delete from .* LIMIT \?/is, 'the first rows of a key that grows with time'],
  [/"audit_entries".*limit \?/is, 'the newest entries, by the primary key'],
  [/update "jobs" set "queue"/, 'messages that wait for a carrier, of which there is a limit'],
  [/update "jobs" set .* where \("jobs"."leased" and/, 'once, at a start'],
  [/set "run_at" = max\("jobs"."run_at" - /, 'a clock that was set back'],
  [/"begun_at" IS NOT NULL|begun_at IS NOT NULL/, 'calls that are being made, by an index of their own'],
  [/awaited_at IS NOT NULL AND message_id IN/, 'some of the reports that are awaited, by an index of their own'],
  [/substr\(.*, 1, 1\) <> /, 'the rotation of a key, some rows at a time'],
  [/set "awaited_at" = "attempts"."awaited_at" - /, 'a clock that was set back'],
]

const folder = newFolder()
const counter = new PageCounter()

class LargePlace extends FilePlace {
  override async open({ clock, vault, soon }: Opening) {
    return openStore({ file: this.file, clock, vault, connect: counter.connect, ...(soon && { soon }) })
  }
}

let world: World

beforeAll(async () => {
  const place = new LargePlace(folder.path)
  createDatabase(place.file)
  using db = new Database(place.file, { strict: true })
  for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -1000000']) db.run(`PRAGMA ${pragma}`)
  for (const insert of filling(SQLITE, LARGE, START)) db.run(insert)
  db.run('PRAGMA journal_mode = WAL')
  // One day of issues is to be deleted, not half of all.
  world = await World.start({ place, env: { WATCHWORD_LIVE_RETENTION_DAYS: String(DAYS - 1) } })
})
afterAll(async () => {
  await world?.stop()
  folder.remove()
})

test('nothing that is asked of an installation of three million issues reads more than it answers', async () => {
  const failed = await drive(world, async (endpointId) => {
    using db = new Database(world.file, { strict: true })
    for (const insert of fillingEvents(SQLITE, { appId: LARGEST, endpointId }, START)) db.run(insert)
  })
  expect(failed).toEqual([])
  const excessive = [...counter.worst.values()].filter(
    (one) => !IS_BEGIN.test(one.text) && one.pages > allowedPages(one),
  )
  expect(excessive).toEqual([])
})

test('no statement scans a table that grows with every message', () => {
  using db = new Database(world.file, { readonly: true })
  const scanning = statementsIn(ofSQLite).flatMap((text) => {
    const plan = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`).all()
    const scans = plan.map(({ detail }) => detail).filter((detail) => LONG_TABLES.test(detail))
    return scans.length > 0 && !ALLOWED_SCANS.some(([one]) => one.test(text)) ? [{ text, scans }] : []
  })
  expect(scanning).toEqual([])
})
