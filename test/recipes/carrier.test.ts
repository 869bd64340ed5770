import { follow } from './recipe'

follow({
  heading: 'A carrier',
  mostFiles: 2,
  insertions: [
    {
      file: 'src/providers/pigeon.ts',
      text: `/** Pigeon, which takes a message by one POST and reports nothing. */
import { z } from 'zod'
import { outcomeOfSilence, parseObject, textOf, withoutCode } from './answer'
import type { CarrierType } from './type'

const pigeonConfig = z.strictObject({ url: z.url(), token: z.string().min(1) })

export const pigeon: CarrierType = {
  config: pigeonConfig,
  channels: ['sms'],
  reportsBySecret: false,
  explain: () => undefined,
  create({ name, config }, { transport, timeoutMs }) {
    const { url, token } = pigeonConfig.parse(config)
    return {
      name,
      reports: false,
      async send({ messageId, to, text }) {
        const headers = { authorization: \`Bearer \${token}\` }
        const body = JSON.stringify({ messageId, to, text })
        const result = await transport.request({ method: 'POST', url, headers, body, timeoutMs })
        if (result.kind !== 'answered') return outcomeOfSilence(result)
        const carrierMessageId = textOf(parseObject(result.body).id)
        return result.status === 200 && carrierMessageId !== undefined
          ? { kind: 'accepted', carrierMessageId }
          : withoutCode(result.status)
      },
    }
  },
}
`,
    },
    {
      file: 'src/providers/carriers.ts',
      behind: "    return (require('./aligo') as typeof import('./aligo')).aligo\n  },\n",
      text: "  get pigeon() {\n    return (require('./pigeon') as typeof import('./pigeon')).pigeon\n  },\n",
    },
  ],
  proof: `
import { expect, test } from 'bun:test'
import { setCarrier } from '../../src/usecases/administer'
import { SMS_URL, World } from '../support/world'

test('a carrier of the new type can be set, and sends', async () => {
  const world = await World.start()
  const { live: key } = await world.furnish()
  const config = { url: SMS_URL, token: 'secret' }
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
})
