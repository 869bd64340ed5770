import { follow } from './recipe'

const CONFIG = 'src/config.ts'
const WORDS = 'src/console/web/i18n/delivery.ts'

follow({
  heading: 'A channel',
  mostFiles: 8,
  insertions: [
    { file: 'contract/channel.ts', behind: "export const CHANNELS = ['sms', 'alimtalk'", text: ", 'voice'" },
    {
      file: 'migrations/sqlite/0001_initial.sql',
      behind: "INSERT INTO channels VALUES ('sms'), ('alimtalk')",
      text: ", ('voice')",
    },
    {
      file: 'migrations/postgres/0001_initial.sql',
      behind: `CREATE DOMAIN channel AS text COLLATE "C" CHECK (VALUE IN ('sms', 'alimtalk'`,
      text: ", 'voice'",
    },
    {
      file: CONFIG,
      behind: "  PRICE_ALIMTALK: setting('Credits for an AlimTalk, its SMS fallback included', whole(0, 1_000), 1),\n",
      text: "  PRICE_VOICE: setting('Credits for a call', whole(0, 1_000), 1),\n",
    },
    { file: CONFIG, behind: 'alimtalk: value.PRICE_ALIMTALK', text: ', voice: value.PRICE_VOICE' },
    { file: 'src/cli/doctor/carriers.ts', behind: "sms: 'SMS', alimtalk: 'AlimTalk'", text: ", voice: 'calls'" },
    { file: WORDS, behind: "en: { sms: 'SMS', alimtalk: 'AlimTalk'", text: ", voice: 'Call'" },
    { file: WORDS, behind: "ko: { sms: 'SMS', alimtalk: '알림톡'", text: ", voice: '전화'" },
  ],
  onPostgresToo: true,
  proof: `
import { expect, test } from 'bun:test'
import { saveTemplate } from '../../src/usecases/administer'
import { BACKUP_URL, WIRES, World } from '../support/world'
import { Carrier } from '../support/carrier'

test.each(WIRES)('a code goes by the new channel, over %s', async (wire) => {
  const carriers = { sms: new Carrier(), kakao: new Carrier(), backup: new Carrier() }
  const world = await World.start({ carriers })
  const { appId, live: key } = await world.furnish()
  await world.provide('caller', ['voice'], BACKUP_URL)
  const template = { templateId: 'call', name: 'Call', body: 'Your code is #{code}', variables: {} }
  await saveTemplate(world.admin, appId, { ...template, channelSupport: ['voice'], providerTemplateCode: 'C1' })
  await world.advance(2_000)
  const request = { phoneNumber: '010-1234-5678', purpose: 'signup', idempotencyKey: 'first', templateId: 'call' }
  const { status, body } = await world.call(wire, 'issue', { ...request, channel: 'voice' }, { key })
  expect(status).toBe(200)
  await world.settle()
  expect(carriers.backup.accepted).toMatchObject([{ channel: 'voice', to: '+821012345678' }])
  const projection = await world.call(wire, 'getIssue', { issueId: body.issueId }, { key })
  expect(projection.body).toMatchObject({ channel: 'voice', deliveryStatus: 'sent' })
  await world.stop()
})
`,
})
