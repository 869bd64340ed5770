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
import type { Access } from '../../src/admin/contract/base'
import { consoleContract } from '../../src/console/contract'
import { may, PERMISSIONS, permissionsOf, ROLES, type Role } from '../../src/domain/access/operator'
import * as administer from '../../src/usecases/administer'
import { setUpToken } from '../../src/usecases/people'
import { VirtualClock } from '../support/clock'
import { FilePlace } from '../support/place'
import { START, World } from '../support/world'
import { ConsoleClient } from './client'
import { PHONE, person, ROWS, type Things, template } from './procedures'

const THEIR_NAME = 'The app of the others'

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
      ...{ refunded: undefined },
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

  test.each<[unknown]>([[{ toString: 'x' }], [['x']], [5], [null]])(
    'an id that is %j is 400 for who sees one app',
    async (appId) => {
      await open()
      const client = await join('support', [ours.appId])
      for (const [path, input] of [
        ['issues/list', { appId, mode: 'live' }],
        ['keys/list', { appId }],
      ] as const)
        expect((await client.call(path, input)).status).toBe(400)
    },
  )

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
