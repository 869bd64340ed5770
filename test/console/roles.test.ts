/**
 * Who may call what of the console: every procedure, by every role, for one app and for all. The table is written here a second
 * time, by hand, so that a procedure without a row fails, and so does one whose contract asks for less.
 */
import { Database } from 'bun:sqlite'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
// Loaded now: the first request would wait for it, and virtual time would pass.
import '../../src/console/rpc'
import type { Incident } from '../../src/abuse/rules/incident'
import { consoleContract } from '../../src/console/contract'
import type { Access, Reach } from '../../src/console/contract/base'
import { may, PERMISSIONS, type Permission, permissionsOf, ROLES, type Role } from '../../src/domain/access/operator'
import type { Template } from '../../src/domain/message/template'
import * as administer from '../../src/usecases/administer'
import { setUpToken } from '../../src/usecases/people'
import { VirtualClock } from '../support/clock'
import { FilePlace } from '../support/place'
import { SMS_URL, START, World } from '../support/world'
import { ConsoleClient } from './client'

const PASSWORD = 'correct horse battery'
const PHONE = '010-1234-5678'
const DAY_MS = 86_400_000
const THEIR_NAME = 'The app of the others'

/** An app with one of everything that belongs to an app. */
interface Things {
  appId: string
  issueId: string
  testIssueId: string
  keyId: string
  endpointId: string
  deliveryId: string
  eventId: string
  relayId: string
  incidentId: string
  templateId: string
}

interface Row {
  needs: Permission | null
  reach: Reach
  input: (of: Things) => object | undefined
  /** What an owner is answered for a valid input, where it is not 200. */
  status?: number
}

const row = (needs: Permission | null, reach: Reach, input: Row['input'] = () => ({}), status?: number): Row => ({
  ...{ needs, reach, input },
  ...(status !== undefined && { status }),
})
const ofApp = ({ appId }: Things) => ({ appId })
const ofKey = ({ keyId }: Things) => ({ keyId })
const ofEndpoint = ({ endpointId }: Things) => ({ endpointId })
const ofIncident = ({ incidentId }: Things) => ({ incidentId })
const ofRelay = ({ relayId }: Things) => ({ relayId })
const ofPhone = ({ appId }: Things) => ({ appId, phoneNumber: PHONE })
const live = ({ appId }: Things) => ({ appId, mode: 'live' })
const template = (templateId: string): Template => ({
  ...{ templateId, name: templateId, body: 'Your code: #{code}', channelSupport: ['sms'], variables: {} },
  ...{ providerTemplateCode: templateId, bodies: {} },
})
const person = { name: 'Eve', email: 'eve@example.com', password: PASSWORD }
const SLACK = { name: 'chat', channel: 'slack', url: 'https://hooks.slack.example/services/x' }
const NOBODY = { operatorId: 'op_nobody' }
const CARRIER = { name: 'main' }
const SETTINGS = { channels: ['sms'], settings: { url: SMS_URL } }
const MONTH = { from: START - 30 * DAY_MS, to: START + DAY_MS, by: 'day' }

const REPORTED = new Date(START).toISOString().slice(0, 10)

const ROWS: Record<string, Row> = {
  'session/current': row(null, 'anyone'),
  'session/setUp': row(null, 'anyone', () => ({ token: 't'.repeat(40), ...person }), 404),
  'session/signIn': row(null, 'anyone', () => ({ email: person.email, password: 'x' }), 401),
  'session/invitation': row(null, 'anyone', () => ({ token: 't'.repeat(40) }), 404),
  'session/accept': row(null, 'anyone', () => ({ token: 't'.repeat(40), ...person }), 404),
  'session/signOut': row('look', 'anyone'),
  'session/signOutEverywhere': row('look', 'anyone'),
  'session/list': row('look', 'anyone'),
  'session/end': row('look', 'anyone', () => ({ sessionId: 'none' }), 404),
  'session/endOthers': row('look', 'anyone'),
  'session/changePassword': row('look', 'anyone', () => ({ current: PASSWORD, password: `${PASSWORD} staple` })),
  'session/totpBegin': row('look', 'anyone', () => ({ current: PASSWORD })),
  'session/totpConfirm': row('look', 'anyone', () => ({ totp: '000000' }), 400),
  'session/totpRemove': row('look', 'anyone', () => ({ current: PASSWORD })),

  'operators/list': row('look', 'apps'),
  'operators/invite': row('operators', 'installation', () => ({ role: 'viewer' })),
  'operators/withdraw': row('operators', 'installation', () => ({ invitationId: 'none' }), 404),
  'operators/changeRole': row('operators', 'installation', () => ({ ...NOBODY, role: 'viewer' }), 404),
  'operators/unlock': row('operators', 'installation', () => NOBODY, 404),
  'operators/remove': row('operators', 'installation', () => NOBODY, 404),
  'operators/sessions': row('operators', 'installation', () => NOBODY),
  'operators/endSession': row('operators', 'installation', () => ({ ...NOBODY, sessionId: 'none' }), 404),
  'operators/endSessions': row('operators', 'installation', () => NOBODY),

  'apps/list': row('look', 'apps'),
  'apps/create': row('apps', 'installation', () => ({ name: 'another' })),
  'apps/rename': row('apps', 'app', ({ appId }) => ({ appId, name: 'renamed' })),
  'apps/setRegion': row('apps', 'app', ofApp),
  'apps/protect': row('protection', 'app', ({ appId }) => ({ appId, protection: {} })),
  'apps/setTexts': row('apps', 'app', ({ appId }) => ({ appId, texts: {} })),
  'apps/setProvesMetadata': row('apps', 'app', ({ appId }) => ({ appId, provesMetadata: true })),
  'apps/setRetention': row('apps', 'app', ({ appId }) => ({ appId, retentionDays: 30 })),
  'apps/setPlan': row('carriers', 'app', ({ appId }) => ({ appId, channel: 'sms', legs: [{ channel: 'sms' }] })),
  'apps/removePlan': row('carriers', 'app', ({ appId }) => ({ appId, channel: 'sms' }), 404),
  'apps/challenge': row('protection', 'app', ofApp),
  'apps/setChallenge': row('protection', 'app', ({ appId }) => ({
    ...{ appId, vendor: 'turnstile', siteKey: 'site', secret: 'secret', onOutage: 'refuse' },
  })),
  'apps/removeChallenge': row('protection', 'app', ofApp, 404),
  'apps/reviewNumbers': row('apps', 'app', ofApp),
  'apps/addReviewNumber': row('apps', 'app', (of) => ({ ...ofPhone(of), name: 'store', days: 5, dailyMax: 5 })),
  'apps/removeReviewNumber': row('apps', 'app', ({ appId }) => ({ appId, name: 'none' }), 404),
  'apps/twilio': row('look', 'app', ofApp),
  'apps/addTwilioPurpose': row('apps', 'app', ({ appId }) => ({ appId, purpose: 'login' })),
  'apps/regions': row('look', 'anyone'),

  'keys/list': row('look', 'app', ofApp),
  'keys/create': row('keys', 'app', ({ appId }) => ({ appId, kind: 'sk', mode: 'live' })),
  'keys/rotate': row('keys', 'app', ({ keyId }) => ({ keyId, overlapHours: 0 })),
  'keys/allow': row('keys', 'app', ({ keyId }) => ({ keyId, allows: [] }), 400),
  'keys/revoke': row('keys', 'app', ofKey),

  'relays/list': row('look', 'app', ofApp),
  'relays/create': row('keys', 'app', ({ appId }) => ({ appId, mode: 'test', name: 'second', source: 'plain' })),
  'relays/changeSecret': row('keys', 'app', ofRelay),
  'relays/remove': row('keys', 'app', ofRelay),
  'relays/test': row('keys', 'app', ({ relayId }) => ({ relayId, phoneNumber: PHONE })),
  'relays/messages': row('look', 'app', live),

  'issues/list': row('look', 'app', live),
  'issues/find': row('look', 'apps', () => ({ text: PHONE })),
  'issues/story': row('look', 'app', ({ issueId }) => ({ issueId })),
  'inbox/list': row('look', 'app', ofApp),
  'inbox/tryIt': row('try', 'app', ({ appId }) => ({ appId, phoneNumber: '010-0000-0000', purpose: 'try' })),
  'inbox/verify': row('try', 'app', ({ appId, testIssueId }) => ({ appId, issueId: testIssueId, code: '000000' })),

  'wallet/show': row('look', 'app', ofApp),
  'wallet/ledger': row('look', 'app', ofApp),
  'wallet/topUp': row('money', 'app', ({ appId }) => ({ appId, amount: 1, reference: 'r' })),
  'wallet/refund': row('money', 'app', ({ appId, issueId }) => ({ appId, issueId }), 400),
  'wallet/clawback': row('money', 'app', ({ appId }) => ({ appId, amount: 1, reference: 'r' })),
  'wallet/setOverdraft': row('money', 'app', ({ appId }) => ({ appId, limit: 0 })),
  'wallet/setAlert': row('money', 'app', ({ appId }) => ({ appId, below: 1 })),

  'templates/list': row('look', 'app', ofApp),
  'templates/save': row('templates', 'app', ({ appId }) => ({ appId, template: template('mine') })),
  'templates/versions': row('look', 'app', ({ appId }) => ({ appId, templateId: 'mine' })),
  'templates/rollBack': row('templates', 'app', ({ appId }) => ({ appId, templateId: 'none', version: 1 }), 404),
  'templates/preview': row('look', 'app', ({ appId }) => ({ appId, template: template('mine'), values: {} })),

  'webhooks/list': row('look', 'app', ofApp),
  'webhooks/add': row('webhooks', 'app', ({ appId }) => ({
    ...{ appId, mode: 'live', url: 'https://93.184.216.34/hook', events: ['otp.sent'], filters: {}, template: '' },
  })),
  'webhooks/update': row('webhooks', 'app', (of) => ({ ...ofEndpoint(of), events: ['otp.sent'] })),
  'webhooks/remove': row('webhooks', 'app', ofEndpoint),
  'webhooks/rotate': row('webhooks', 'app', (of) => ({ ...ofEndpoint(of), overlapHours: 1 })),
  'webhooks/test': row('webhooks', 'app', (of) => ({ ...ofEndpoint(of), type: 'otp.sent' })),
  'webhooks/events': row('look', 'app', ofEndpoint),
  'webhooks/attempts': row('look', 'app', ({ deliveryId }) => ({ deliveryId })),
  'webhooks/request': row('look', 'app', ({ deliveryId }) => ({ deliveryId })),
  'webhooks/replay': row('find', 'app', ({ endpointId, eventId }) => ({ endpointId, eventId })),
  'webhooks/preview': row('look', 'anyone', () => ({ template: '', events: ['otp.sent'] })),

  'carriers/list': row('look', 'installation'),
  'carriers/test': row('carriers', 'installation', () => ({ ...CARRIER, to: PHONE, channel: 'sms' })),
  'carriers/types': row('carriers', 'installation'),
  'carriers/add': row('carriers', 'installation', () => ({ ...SETTINGS, name: 'second', type: 'http' })),
  'carriers/settings': row('carriers', 'installation', () => CARRIER),
  'carriers/change': row('carriers', 'installation', () => ({ ...CARRIER, ...SETTINGS })),
  'carriers/answers': row('look', 'installation', () => ({ ...CARRIER, hours: 24 })),
  'carriers/rotate': row('carriers', 'installation', () => ({
    ...{ ...CARRIER, ...SETTINGS, test: { to: PHONE, channel: 'sms' } },
  })),
  'carriers/explain': row('carriers', 'installation', ({ appId }) => ({
    ...{ appId, to: PHONE, channel: 'sms', kind: 'sk' },
  })),
  'carriers/pause': row('carriers', 'installation', () => CARRIER),
  'carriers/resume': row('carriers', 'installation', () => CARRIER),
  'carriers/remove': row('carriers', 'installation', () => ({ name: 'none' }), 404),
  'carriers/whatsappTemplate': row(
    'carriers',
    'installation',
    () => ({
      ...{ name: 'none', languages: ['en'], minutes: 5, androidApps: [] },
    }),
    404,
  ),
  'carriers/routes': row('look', 'installation'),
  'carriers/setRoute': row('carriers', 'installation', ({ appId }) => ({ channel: 'sms', appId, providers: ['main'] })),
  'carriers/removeRoute': row('carriers', 'installation', ({ appId }) => ({ channel: 'voice', appId }), 404),

  'overview/show': row('look', 'apps', () => ({ mode: 'live' })),

  'usage/report': row('look', 'apps', () => ({
    ...{ mode: 'live', from: REPORTED, to: REPORTED, timeZone: 'UTC', groupBy: ['app', 'purpose'] },
  })),

  'prices/list': row('look', 'installation'),
  'prices/set': row('finance', 'installation', () => ({
    ...{ carrier: 'main', country: 'KR', channel: 'sms', currency: 'KRW', amount: '9.9', validFrom: REPORTED },
  })),
  'prices/remove': row('finance', 'installation', () => ({ priceId: 'prc_none' }), 404),
  'reportTokens/list': row('finance', 'installation'),
  'reportTokens/create': row('finance', 'installation', () => ({ name: 'ERP' })),
  'reportTokens/revoke': row('finance', 'installation', () => ({ tokenId: 'rpt_none' }), 404),

  'protection/state': row('look', 'app', ofApp),
  'protection/sentTo': row('look', 'app', ofApp),
  'protection/lately': row('look', 'app', ofApp),
  'protection/phone': row('find', 'app', ofPhone),
  'protection/unlock': row('find', 'app', (of) => ({ ...ofPhone(of), kinds: ['pk'] })),
  'protection/show': row('look', 'app', (of) => ({ ...ofApp(of), ...MONTH })),
  'protection/incidents': row('look', 'app', ofApp),
  'protection/block': row('protection', 'app', ({ appId }) => ({ appId, country: 'KR' })),
  'protection/unblock': row('protection', 'app', ({ appId }) => ({ appId, country: 'KR' })),
  'protection/end': row('protection', 'app', ofIncident),
  'protection/refund': row('money', 'app', ofIncident),

  'audit/list': row('audit', 'installation'),
  'audit/end': row('audit', 'installation'),
  'audit/verify': row('audit', 'installation'),

  'privacy/read': row('privacy', 'app', ofPhone),
  'privacy/export': row('privacy', 'app', ofPhone),
  'privacy/erase': row('privacy', 'app', ofPhone),

  'system/show': row('look', 'installation'),

  'live/changes': row('look', 'anyone'),

  'notices/open': row('look', 'apps'),
  'notices/list': row('look', 'apps'),
  'notices/ways': row('carriers', 'installation'),
  'notices/addWay': row('carriers', 'installation', () => SLACK),
  'notices/removeWay': row('carriers', 'installation', () => ({ wayId: 'way_none' }), 404),
  'notices/testWay': row('carriers', 'installation', () => ({ wayId: 'way_none' }), 404),
  'notices/setQuietHours': row('carriers', 'installation'),
}

const CONTRACT: [path: string, access: Access][] = Object.entries(consoleContract).flatMap(([group, procedures]) =>
  Object.entries(procedures).map(([name, procedure]): [string, Access] => [
    `${group}/${name}`,
    procedure['~orpc'].meta as Access,
  ]),
)

test('every procedure has a row here, with the permission and the reach of its contract', () => {
  const rows = Object.entries(ROWS).map(([path, { needs: permission, reach }]) => [path, { permission, reach }])
  expect(Object.fromEntries(CONTRACT)).toEqual(Object.fromEntries(rows))
})

test('the roles have these permissions, and no other', () => {
  expect(Object.fromEntries(ROLES.map((role) => [role, permissionsOf(role)]))).toEqual({
    owner: PERMISSIONS,
    developer: ['look', 'find', 'try', 'keys', 'templates', 'webhooks'],
    operator: ['look', 'find', 'protection', 'carriers'],
    support: ['look', 'find'],
    finance: ['look', 'finance'],
    viewer: ['look'],
  })
})

describe('an operator', () => {
  let world: World
  let owner: ConsoleClient
  let ours: Things
  let theirs: Things
  let joined = 0

  async function open(): Promise<void> {
    world = await World.start()
    joined = 0
    owner = new ConsoleClient(world)
    await owner.call('session/setUp', { token: await setUpToken(world), ...person, email: 'ann@example.com' })
    const { appId } = await world.furnish()
    const other = await administer.createApp(world.admin, { name: THEIR_NAME })
    ;[ours, theirs] = await Promise.all([furnished(appId), furnished(other.appId)])
  }
  afterEach(() => world.stop())

  async function furnished(appId: string): Promise<Things> {
    const { admin } = world
    const incidentId = crypto.randomUUID()
    const incident: Incident = {
      ...{ incidentId, appId, kind: 'pk', country: 'KR', since: START, lastAt: START, endedAt: undefined },
      ...{ isBlocked: true, refused: 7, rules: ['cap'], pausedUntil: undefined, pauses: 0, cost: 3 },
      ...{ tellAt: undefined, tells: 0, refunded: undefined },
    }
    const [secret, testKey, { endpoint }, { relay }] = await Promise.all([
      world.key({ appId, kind: 'sk', mode: 'live' }),
      world.key({ appId, kind: 'sk', mode: 'test' }),
      administer.addEndpoint(admin, {
        ...{ appId, mode: 'live', url: 'https://93.184.216.34/hook', events: ['otp.sent'] },
      }),
      administer.addRelay(admin, appId, { name: 'first', source: 'plain', mode: 'test' }),
      administer.addCredit(admin, { appId, amount: 1_000 }),
      administer.saveTemplate(admin, appId, template(`template-${appId}`)),
      world.store.transaction((tx) => tx.traffic.saveIncident(incident)),
    ])
    const order = { phoneNumber: PHONE, purpose: `purpose-${appId}`, idempotencyKey: `k-${appId}` }
    const [issued, tried] = await Promise.all([
      world.call('rest', 'issue', order, { key: secret }),
      world.call('rest', 'issue', { ...order, phoneNumber: '010-0000-0000' }, { key: testKey }),
    ])
    await world.settle()
    const eventId = await administer.testEndpoint(admin, endpoint.endpointId, 'otp.sent')
    const [delivery] = await world.store.lists.hooks.page({ endpointId: endpoint.endpointId, limit: 1 })
    const [key] = await world.store.read.keys.ofApp(appId)
    return {
      ...{ appId, issueId: issued.body.issueId, testIssueId: tried.body.issueId, keyId: key?.keyId ?? '' },
      ...{ endpointId: endpoint.endpointId, deliveryId: delivery?.deliveryId ?? '', eventId, relayId: relay.relayId },
      ...{ incidentId, templateId: `template-${appId}` },
    }
  }

  async function join(role: Role, appIds?: string[]): Promise<ConsoleClient> {
    const { url } = (await owner.call('operators/invite', { role, appIds })).body
    const client = new ConsoleClient(world, `192.0.2.${++joined}`)
    const email = `${role}-${joined}@example.com`
    const accepted = await client.call('session/accept', { ...person, token: url.split('#')[1], email })
    expect(accepted.status).toBe(200)
    return client
  }

  describe('of each role, who sees one app or all', () => {
    const SOME_APPS = ROLES.filter((role) => role !== 'owner')
    interface Person {
      role: Role
      cookie: string
      ip: string
    }
    /** Joined once, and copied for each procedure: their joining takes longer than what they call. */
    let stage: { ours: Things; theirs: Things; ofOurs: Person[]; ofAll: Person[]; database: Buffer; now: number }

    beforeAll(async () => {
      await open()
      const joinAs = async (role: Role, appIds?: string[]) => {
        const { cookie, ip } = await join(role, appIds)
        return { role, cookie, ip }
      }
      const ofOurs = await Promise.all(SOME_APPS.map((role) => joinAs(role, [ours.appId])))
      const ofAll = await Promise.all(ROLES.map((role) => joinAs(role)))
      await world.settle()
      using file = new Database(world.file, { readonly: true })
      stage = { ours, theirs, ofOurs, ofAll, database: file.serialize(), now: world.clock.now() }
      await world.stop()
    })

    beforeEach(async () => {
      const place = new FilePlace()
      writeFileSync(place.file, stage.database)
      // Ids are drawn with another seed: those of the first are taken.
      world = await World.start({ place, clock: new VirtualClock(stage.now), seed: 2 })
    })
    const clientOf = ({ cookie, ip }: Person) => Object.assign(new ConsoleClient(world, ip), { cookie })

    test.each(Object.entries(ROWS))(
      'calls %s if role and app allow it, and learns nothing of another app',
      async (path, row) => {
        const { needs, reach, input, status } = row
        const { ours, theirs, ofOurs, ofAll } = stage
        const secrets = [...Object.values(theirs), THEIR_NAME]
        // Whoever sees some apps only comes first, so that everything of the others is still there.
        for (const person of ofOurs) {
          const { role } = person
          const client = clientOf(person)
          for (const of of reach === 'app' ? [theirs, ours] : [ours]) {
            const { status, body } = await client.call(path, input(of))
            const mayCall = needs === null || (may(role, needs) && reach !== 'installation' && of === ours)
            expect([role, of === ours, status === 403]).toEqual([role, of === ours, !mayCall])
            for (const secret of secrets) expect(JSON.stringify(body) ?? '').not.toContain(secret)
          }
        }
        for (const person of ofAll) {
          const { role } = person
          const answer = await clientOf(person).call(path, input(theirs))
          const mayCall = needs === null || may(role, needs)
          expect([role, answer.status === 403]).toEqual([role, !mayCall])
          // The owner comes first, and finds everything.
          if (role === 'owner') expect(answer).toMatchObject({ status: status ?? 200 })
          if (path === 'apps/list') expect(JSON.stringify(answer.body)).toContain(THEIR_NAME)
        }
      },
    )
  })

  test('learns no more of what belongs to another app than of what does not exist', async () => {
    await open()
    const client = await join('developer', [ours.appId])
    const refused = { status: 403, body: { data: { reason: 'app_not_yours' } } }
    for (const keyId of [theirs.keyId, 'key_none'])
      expect(await client.call('keys/revoke', { keyId })).toMatchObject(refused)
    // Neither by the one id that is theirs, nor in the company of one that is.
    const both = { appId: ours.appId, issueId: theirs.testIssueId, code: '000000' }
    expect(await client.call('inbox/verify', both)).toMatchObject(refused)
    const report = { mode: 'live', from: '2026-03-01', to: '2026-03-01', timeZone: 'UTC', groupBy: [] }
    expect(await client.call('usage/report', { ...report, appId: theirs.appId })).toMatchObject(refused)
    expect(await client.call('overview/show', { appId: theirs.appId, mode: 'live' })).toMatchObject(refused)
    expect(await client.call('keys/list', {})).toMatchObject({
      status: 403,
      body: { data: { reason: 'needs_all_apps' } },
    })
  })

  test('has other rights from the next call on, in the session that goes on', async () => {
    await open()
    const client = await join('developer', [ours.appId])
    const { operatorId } = (await client.call('session/current')).body.operator
    const sees = async () => (await client.call('apps/list')).body.apps.map(({ appId }: Things) => appId)
    expect(await sees()).toEqual([ours.appId])
    await owner.call('operators/changeRole', { operatorId, role: 'support', appIds: [theirs.appId] })
    expect(await sees()).toEqual([theirs.appId])
    expect((await client.call('keys/revoke', { keyId: theirs.keyId })).status).toBe(403)
    expect((await client.call('session/current')).body.operator).toMatchObject({
      role: 'support',
      appIds: [theirs.appId],
    })
    await owner.call('operators/changeRole', { operatorId, role: 'support' })
    expect(await sees()).toEqual([ours.appId, theirs.appId])
    const { rows } = (await owner.call('audit/list', { action: 'operator.role' })).body
    expect(rows.map(({ detail }: { detail: object }) => detail)).toEqual([
      { role: 'support' },
      { role: 'support', appIds: [theirs.appId] },
    ])
  })

  test.each([
    ['an owner, who sees all apps', { role: 'owner', appIds: ['OURS'] }, 400, 'owner_sees_all_apps'],
    ['nobody with no app at all', { role: 'viewer', appIds: [] }, 400, 'required'],
    ['nobody with an app that does not exist', { role: 'viewer', appIds: ['app_none'] }, 404, 'no_such'],
    ['nobody with more apps than are listed', { role: 'viewer', appIds: Array(101).fill('OURS') }, 400, 'too_many'],
  ])('is %s', async (_, rights, status, reason) => {
    await open()
    const appIds = rights.appIds.map((appId) => (appId === 'OURS' ? ours.appId : appId))
    const { operatorId } = (await (await join('viewer')).call('session/current')).body.operator
    for (const [path, more] of [
      ['invite', {}],
      ['changeRole', { operatorId }],
    ] as const)
      expect(await owner.call(`operators/${path}`, { ...rights, ...more, appIds })).toMatchObject({
        ...{ status, body: { data: { reason } } },
      })
  })

  test('is told by whom to be helped: the owners, and no invitation', async () => {
    await open()
    await owner.call('operators/invite', { role: 'viewer', note: 'Zoe of the others' })
    const client = await join('viewer', [ours.appId])
    const { operators, invitations } = (await client.call('operators/list')).body
    expect(operators.map(({ role }: { role: Role }) => role)).toEqual(['owner'])
    expect(invitations).toEqual([])
    expect((await owner.call('operators/list')).body.invitations).toMatchObject([
      { role: 'viewer', note: 'Zoe of the others' },
    ])
  })
})
