/** What every store promises about operators, their sessions and invitations. */
import { describe, expect, test } from 'bun:test'
import type { Invitation, Operator, OperatorSession } from '../../src/domain/access/operator'
import { hash32, NOW } from './sample'
import type { AtHand } from './webhooks'

const anOperator = (operatorId: string, changes: Partial<Operator> = {}): Operator => ({
  ...{ operatorId, email: `${operatorId}@a.example`, name: 'Ann', role: 'support', appIds: ['app_one', 'app_two'] },
  ...{ passwordHash: 'x', totpSecret: undefined, totpBegun: undefined, createdAt: NOW, lastSeenAt: undefined },
  unlockedAt: undefined,
  ...changes,
})

const aSession = (n: number, operatorId: string): OperatorSession => ({
  ...{ tokenHash: hash32(n), operatorId, createdAt: NOW + n, lastSeenAt: NOW + n, browser: 'Firefox', system: '' },
})

const ids = (sessions: readonly OperatorSession[]) => sessions.map(({ createdAt }) => createdAt - NOW)

export function peopleSuite(atHand: () => AtHand): void {
  describe('people', () => {
    test('operators and invitations read back with their apps, or with all', async () => {
      const { store, other } = atHand()
      const [some, all] = [anOperator('op_1'), anOperator('op_2', { createdAt: NOW + 1, appIds: undefined })]
      const invitations: Invitation[] = [
        { role: 'finance', appIds: ['app_one'], note: 'Lee', invitedBy: 'op_1', createdAt: NOW, expiresAt: NOW + 1 },
        {
          role: 'viewer',
          appIds: undefined,
          note: undefined,
          invitedBy: 'cli',
          createdAt: NOW + 1,
          expiresAt: NOW + 2,
        },
      ].map((invitation, n) => ({ ...(invitation as Invitation), tokenHash: hash32(n) }))
      await store.transaction(async (tx) => {
        await tx.people.lockAll()
        for (const operator of [some, all]) await tx.people.add(operator)
        for (const invitation of invitations) await tx.invitations.add(invitation)
      })
      expect(await other.read.people.all()).toEqual([some, all])
      expect(await other.read.invitations.all()).toEqual(invitations)
      const [{ tokenHash }] = invitations as [Invitation]
      expect(await store.transaction((tx) => tx.invitations.lock(tokenHash))).toEqual(invitations[0])

      await store.transaction(async (tx) => {
        await tx.people.lockAll()
        await tx.people.save({ ...some, appIds: undefined })
        await tx.people.save({ ...all, appIds: ['app_two'] })
      })
      expect((await other.read.people.all()).map(({ appIds }) => appIds)).toEqual([undefined, ['app_two']])
    })

    test('sessions are listed newest first, and removed one by one, all but one, or all', async () => {
      const { store, other } = atHand()
      await store.transaction(async (tx) => {
        await tx.people.lockAll()
        for (const operatorId of ['op_1', 'op_2']) await tx.people.add(anOperator(operatorId))
        for (const n of [1, 3, 2]) await tx.sessions.add(aSession(n, 'op_1'))
        await tx.sessions.add(aSession(4, 'op_2'))
      })
      expect(await other.read.sessions.newestOf('op_1', 2)).toEqual([aSession(3, 'op_1'), aSession(2, 'op_1')])
      await store.transaction((tx) => tx.sessions.remove(hash32(2)))
      expect(ids(await other.read.sessions.newestOf('op_1', 9))).toEqual([3, 1])
      expect(await store.transaction((tx) => tx.sessions.removeOf('op_1', hash32(1)))).toBe(1)
      expect(ids(await other.read.sessions.newestOf('op_1', 9))).toEqual([1])
      expect(await store.transaction((tx) => tx.sessions.removeOf('op_1'))).toBe(1)
      expect(ids(await other.read.sessions.newestOf('op_1', 9))).toEqual([])
      expect(ids(await other.read.sessions.newestOf('op_2', 9))).toEqual([4])
    })
  })
}
