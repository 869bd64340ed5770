import type { Recipe } from './recipe'

const WORDS = 'src/console/web/i18n/protection.ts'

export const rule: Recipe = {
  heading: 'A rule of the guard',
  mostFiles: 3,
  insertions: [
    { file: 'src/abuse/rules/rule.ts', behind: "  'country_closed',\n  'blocked',\n", text: "  'reserved_prefix',\n" },
    {
      file: 'src/abuse/rules/assess.ts',
      behind: "  if (destination === 'not_open') decision.add(protection.countries, 'country_closed')\n",
      text: "  if (facts.digits.startsWith('+82109')) decision.add('block', 'reserved_prefix', 60 * SECOND_MS)\n",
    },
    {
      file: WORDS,
      behind: "    blocked: 'Blocked by an operator',\n",
      text: "    reserved_prefix: 'Reserved prefix',\n",
    },
    { file: WORDS, behind: "    blocked: '운영자가 차단',\n", text: "    reserved_prefix: '예약된 번호대',\n" },
  ],
  proof: `
import { expect, test } from 'bun:test'
import { ProtectionHistory } from '../../src/usecases/abuse/read-protection'
import { World } from '../support/world'

test('the rule refuses, and is in the report', async () => {
  const world = await World.start()
  const { appId, live: key } = await world.furnish()
  const request = { phoneNumber: '010-9234-5678', purpose: 'signup', idempotencyKey: 'first' }
  const { status, body } = await world.call('rest', 'issue', request, { key })
  expect([status, body.data.limit]).toEqual([429, 'abuse'])
  await world.advance(120_000)
  const now = world.clock.now()
  const report = await new ProtectionHistory(world.admin).read(appId, { from: now - 3_600_000, to: now, by: 'hour' })
  expect(report.rules).toMatchObject([{ rule: 'reserved_prefix', refused: 1 }])
  await world.stop()
})
`,
}
