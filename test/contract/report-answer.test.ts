/** Some carriers repeat a report until they read the word that they want. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import * as administer from '../../src/usecases/administer'
import { ACME } from '../providers/acme'
import { HANGS_AFTER_MS } from '../support/until'
import { World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const REPORT_SECRET = 'secret-of-the-reports'
const URL = `/provider-reports/main?token=${REPORT_SECRET}&id=m-1&state=DONE`

let world: World

beforeEach(async () => {
  world = await World.start()
})
afterEach(() => world.stop())

async function setCarrier(answer: string | undefined) {
  const reports = { answer, kinds: [{ id: 'id' }] }
  const description = { ...ACME, result: { status: 'state', delivered: ['DONE'] }, reports }
  const config = { account: '77', key: 'acme-key', reportSecret: REPORT_SECRET, description }
  await administer.setCarrier(world.admin, { name: 'main', type: 'acme', channels: ['sms'], config })
}

test('the answer to a report is the text of the description, and only where the secret is right', async () => {
  await setCarrier('OK')
  const answer = await world.send('GET', URL, undefined)
  expect([answer.status, answer.body]).toEqual([200, 'OK'])
  expect(answer.headers.get('content-type')).toStartWith('text/plain')
  expect((await world.send('GET', URL.replace('secret-of', 'other-of'), undefined)).status).toBe(401)
  await setCarrier(undefined)
  expect((await world.send('GET', URL, undefined)).body).toEqual({ recorded: 0 })
})
