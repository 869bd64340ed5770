import type { Recipe } from './recipe'

export const carrier: Recipe = {
  heading: 'A carrier',
  mostFiles: 2,
  insertions: [
    {
      file: 'src/providers/descriptions/pigeon.ts',
      text: `/** Pigeon takes a message by one POST and reports nothing. */
import type { DescriptionFile } from '../description'

export const pigeon: DescriptionFile = {
  type: 'pigeon',
  title: 'Pigeon',
  documentation: 'https://pigeon.example/docs',
  channels: ['sms'],
  fields: {
    token: { title: 'Token', secret: true },
    apiBase: { title: 'Address of the API', url: true, default: 'https://api.pigeon.example' },
  },
  auth: { type: 'bearer', token: '{{token}}' },
  send: { sms: { request: { path: '/sms', json: { messageId: '{{messageId}}', to: '{{to}}', text: '{{text}}' } }, id: 'id' } },
  codes: { HTTP_402: ['unfit', 'the account at Pigeon has no balance'] },
}
`,
    },
    {
      file: 'src/providers/descriptions/index.ts',
      behind: "  aligo: () => require('./aligo').aligo,\n",
      text: "  pigeon: () => require('./pigeon').pigeon,\n",
    },
  ],
  proof: `
import { expect, test } from 'bun:test'
import { setCarrier } from '../../src/usecases/administer'
import { World } from '../support/world'

test('a carrier of the new type can be set, and sends', async () => {
  const world = await World.start()
  const { live: key } = await world.furnish()
  const config = { apiBase: 'http://carrier.test', token: 'secret' }
  await setCarrier(world.admin, { name: 'main', type: 'pigeon', channels: ['sms'], config })
  await world.advance(2_000)
  const request = { phoneNumber: '010-1234-5678', purpose: 'signup', idempotencyKey: 'first' }
  const { body } = await world.call('rest', 'issue', request, { key })
  await world.settle()
  expect(world.sms.headers).toMatchObject([{ authorization: 'Bearer secret' }])
  const status = await world.call('rest', 'status', { issueId: body.issueId }, { key })
  expect(status.body.deliveryStatus).toBe('sent')
  await world.stop()
})
`,
}
