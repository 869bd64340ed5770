/** Nothing that was stored of an erased phone stays in the files of an embedded database. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { DAY_MS } from '../../src/domain/shared/value'
import * as administer from '../../src/usecases/administer'
import { erasePhone, removeBare } from '../../src/usecases/erase-phone'
import { VirtualClock } from '../support/clock'
import { FilePlace } from '../support/place'
import { Receivers } from '../support/receiver'
import { HANGS_AFTER_MS } from '../support/until'
import { UNTOLD } from '../support/untold'
import { START, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const PHONE = '010-1234-5678'
const OTHER = '010-9999-8888'
const ISSUES = 120

let world: World
afterEach(() => world.stop())

/** How often `text` occurs in the database and its log, on used and free pages. */
function copiesOf(text: string): number {
  const files = ['', '-wal'].map((suffix) => world.file + suffix).filter(existsSync)
  return files.reduce((count, file) => count + readFileSync(file).toString('latin1').split(text).length - 1, 0)
}

test('is in neither the database nor its log, among the issues of others and with events told of it', async () => {
  const clock = new VirtualClock(START)
  const env = { WATCHWORD_LIMIT_ISSUES_PER_PHONE_10_MIN: '10000', WATCHWORD_LIMIT_ISSUES_PER_PHONE_DAY: '10000' }
  world = await World.start({ clock, env, hooks: new Receivers(clock.now), place: new FilePlace() })
  const { appId, live } = await world.furnish()
  await administer.addCredit(world.admin, { appId, amount: 1_000 })
  const hook = { appId, mode: 'live', url: 'https://a.example/hook', events: ['otp.sent', 'otp.verified'] } as const
  await administer.addEndpoint(world.admin, hook)
  for (let n = 0; n < ISSUES; n++) {
    for (const [phoneNumber, note] of [
      [PHONE, 'of-the-erased'],
      [OTHER, 'of-somebody-else'],
    ]) {
      const metadata = { note: `${note}-${n}`, more: 'x'.repeat((n * 37) % 3_000) }
      const order = { phoneNumber, purpose: `purpose ${n}`, idempotencyKey: `${note}-${n}`, metadata }
      await world.call('rest', 'issue', order, { key: live })
    }
    await world.settle()
  }
  expect(copiesOf('of-the-erased')).toBeGreaterThan(ISSUES)
  const { numbering, idempotencyDays, liveRetentionDays } = world.config
  const deps = { ...world.admin, telemetry: UNTOLD, numbering, idempotencyDays, liveRetentionDays }
  expect(await world.run(erasePhone(deps, { phoneNumber: PHONE }))).toMatchObject({
    issues: ISSUES,
    isLogEmptied: true,
  })
  expect(copiesOf('of-the-erased')).toBe(0)
  const [{ hash } = { hash: '' }] = await world.rows<{ hash: string }>('SELECT hex(phone_hash) AS hash FROM erasures')
  await world.leap(3 * DAY_MS)
  await world.run(removeBare(deps))
  // The erasure is remembered by the hash of the phone, and so are the locks of the phone.
  expect(copiesOf(Buffer.from(hash, 'hex').toString('latin1'))).toBeLessThan(10)
  expect(copiesOf('of-somebody-else')).toBe(ISSUES)
})
