import type { Recipe } from './recipe'

const WORDS = 'src/console/web/i18n/names.ts'

export const channel: Recipe = {
  heading: 'A channel',
  mostFiles: 8,
  insertions: [
    {
      file: 'contract/constants.ts',
      behind: "export const LEGS = [...CHANNELS, 'whatsapp', 'telegram', 'voice'",
      text: ", 'viber'",
    },
    {
      file: 'migrations/sqlite/0002_one_store.sql',
      behind: 'DROP TABLE awaited_reports;\n',
      text: "INSERT INTO channels VALUES ('viber');\n",
    },
    {
      file: 'migrations/postgres/0002_one_store.sql',
      behind: 'DROP TABLE awaited_reports;\n',
      text: `ALTER DOMAIN channel DROP CONSTRAINT channel_check;
ALTER DOMAIN channel ADD CONSTRAINT channel_check CHECK (VALUE IN ('sms', 'alimtalk', 'whatsapp', 'telegram', 'voice', 'viber'));
`,
    },
    { file: WORDS, behind: "voice: 'Voice call',\n", text: "    viber: 'Viber',\n" },
    { file: WORDS, behind: "voice: '음성 통화'", text: ", viber: '바이버'" },
  ],
  onPostgresToo: true,
  proof: `
import { expect, test } from 'bun:test'
import { setCarrier, setPlan } from '../../src/usecases/administer'
import { Carrier } from '../support/carrier'
import { BACKUP_URL, WIRES, World } from '../support/world'

test.each(WIRES)('a plan sends a code by the new channel, over %s', async (wire) => {
  const carriers = { sms: new Carrier(), kakao: new Carrier(), backup: new Carrier() }
  const world = await World.start({ carriers })
  const { appId, live: key } = await world.furnish()
  const config = { url: BACKUP_URL }
  await setCarrier(world.admin, { name: 'viber', type: 'http', channels: ['viber'], config })
  await setPlan(world.admin, appId, { channel: 'sms', country: undefined, legs: [{ channel: 'viber' }] })
  await world.advance(2_000)
  const request = { phoneNumber: '010-1234-5678', purpose: 'signup', idempotencyKey: 'first' }
  const { status, body } = await world.call(wire, 'issue', request, { key })
  expect(status).toBe(200)
  await world.settle()
  expect(carriers.backup.accepted).toMatchObject([{ channel: 'viber', to: '+821012345678' }])
  expect((await world.call(wire, 'status', { issueId: body.issueId }, { key })).body.deliveryStatus).toBe('sent')
  await world.stop()
})
`,
}
