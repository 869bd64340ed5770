/** A database of 0.1.0 goes on: what it answered it answers, and what its keys and templates could do they can. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { isOpen } from '../../src/domain/browser-key'
import { isLinear } from '../../src/domain/pattern'
import * as administer from '../../src/usecases/administer'
import kept from '../fixtures/0.1.0/kept.json'
import { VirtualClock } from '../support/clock'
import { FilePlace, onSQLite } from '../support/place'
import { WIRES, World } from '../support/world'

const FIXTURE = join(import.meta.dir, '../fixtures/0.1.0/watchword.db.gz')
const ORIGIN = 'https://shop.example.com'
const { keys, answers, reads } = kept

onSQLite(describe).each(WIRES)('over %s, after the upgrade from 0.1.0', (wire) => {
  let world: World
  let made = 0

  beforeEach(async () => {
    const place = new FilePlace()
    await Bun.write(place.file, Bun.gunzipSync(await Bun.file(FIXTURE).bytes()))
    world = await World.start({ place, clock: new VirtualClock(kept.now) })
    await world.settle()
  })
  afterEach(() => world.stop())

  const call = (operation: Parameters<World['call']>[1], input: object, key = keys.live) =>
    world.call(wire, operation, input, { key, headers: { origin: ORIGIN } })
  const issue = (input: object, key = keys.live) =>
    call('issue', { phoneNumber: '010-7777-0001', purpose: `p${made}`, idempotencyKey: `k${made++}`, ...input }, key)

  test('wallet, history and templates are what they were', async () => {
    expect((await call('balance', {})).body).toMatchObject(reads.balance)
    expect((await call('listIssues', {})).body).toEqual(reads.issues)
    const { templates, ...list } = (await call('listTemplates', {})).body
    // What they are in besides is said since.
    const before = ({ locale: _, locales: __, ...template }: { locale?: string; locales: string[] }) => template
    expect({ ...list, templates: templates.map(before) }).toEqual(reads.templates)
    const { items } = (await call('listCreditLedger', {})).body
    const without = ({ ledgerId: _, ...entry }: { ledgerId: string }) => entry
    expect(items.map(without)).toMatchObject(reads.ledger.items.map(without))
    const sum = await world.rows('SELECT sum(amount_delta) AS sum FROM ledger_entries')
    expect(sum).toEqual([{ sum: reads.balance.balance }])
  })

  test.each(['verified', 'expired', 'newer', 'waiting'] as const)(
    'the idempotency key of %s answers as it did, to either kind of key',
    async (name) => {
      const { request, answer } = answers[name]
      expect((await call('issue', request)).body).toMatchObject(answer)
      expect((await call('issue', request, keys.browser)).body).toMatchObject(answer)
    },
  )

  test('what was replaced stays replaced, and another request under a used key is refused', async () => {
    expect((await call('issue', answers.replaced.request)).status).toBe(409)
    expect((await call('issue', { ...answers.verified.request, purpose: 'other' })).status).toBe(409)
  })

  test('a code that waited is verified, and one that was verified is not again', async () => {
    const verify = (issueId: string, code: string) => call('verify', { issueId, code })
    expect((await verify(answers.verified.answer.issueId, '000000')).body.reasonCode).toBe('ALREADY_VERIFIED')
    expect((await verify(answers.waiting.answer.issueId, answers.waiting.code)).body.verified).toBeTrue()
  })

  test('a live browser key may still set the sender and write texts, and is named for it; a new one may not', async () => {
    const template = { templateId: 'free', templateVariables: { who: 'https://shop.example.com' } }
    expect((await issue({ from: '0212345678', ...template }, keys.browser)).status).toBe(200)
    const [key] = (await world.store.read.keys.ofApp(keys.appId)).filter(({ kind }) => kind === 'pk')
    expect(key && isOpen(key)).toBeTrue()
    const { appId } = keys
    const fresh = await world.key({ appId, kind: 'pk', mode: 'live', allowedOrigins: [ORIGIN] })
    expect((await issue({ from: '0212345678' }, fresh)).status).toBe(403)
  })

  test('a pattern that may take for ever goes on, bounded, and is named for it; it is not saved again', async () => {
    const statusOf = async (who: string) => (await issue({ templateId: 'former', templateVariables: { who } })).status
    expect([await statusOf('777'), await statusOf('778')]).toEqual([200, 400])
    const former = (await world.store.read.templates.ofApp(keys.appId)).find(
      ({ templateId }) => templateId === 'former',
    )
    if (!former) throw new Error('The template is gone')
    expect(isLinear(former.variables.who?.pattern ?? '')).toBeFalse()
    await expect(administer.saveTemplate(world.admin, keys.appId, former)).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('phones that were used keep what they have used up, for each kind of key', async () => {
    for (let n = 0; n < 4; n++) expect((await issue({ phoneNumber: '010-2345-6705' })).status).toBe(200)
    expect((await issue({ phoneNumber: '010-2345-6705' })).status).toBe(429)
  })
})
