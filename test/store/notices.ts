/** What every store promises about notices. */
import { describe, expect, test } from 'bun:test'
import type { Notice, NoticeMessage, NoticeWay } from '../../src/domain/operations/notice'
import { NOW, uuidAt } from './sample'
import type { AtHand } from './webhooks'

const noticeNumber = (n: number, changes: Partial<Notice> = {}): Notice => ({
  ...{ noticeId: uuidAt(NOW + n, 0xa0 + n), kind: 'carrier_down', subject: `carrier ${n}`, appId: undefined },
  ...{ facts: { carrier: 'main', code: 'HTTP_500' }, since: NOW + n, goneAt: undefined, endedAt: undefined },
  ...changes,
})

const messageOf = ({ noticeId }: Notice, changes: Partial<NoticeMessage> = {}): NoticeMessage => ({
  ...{ messageId: uuidAt(NOW, 0xb0), noticeId, wayId: 'way_one', phase: 'began', status: 'pending', tries: 0 },
  ...{ triedAt: undefined, error: undefined },
  ...changes,
})

const WAY: NoticeWay = {
  ...{ wayId: 'way_one', name: 'duty', channel: 'mail', createdAt: NOW },
  settings: { host: 'smtp.example', user: 'me', password: 'geheim', from: 'a@b.example', to: 'c@d.example' },
}

export function noticeSuite(atHand: () => AtHand): void {
  describe('notices', () => {
    test('one of a kind and subject is open at a time', async () => {
      const { store, other } = atHand()
      const [first, again] = [noticeNumber(1), noticeNumber(2, { subject: 'carrier 1' })]
      expect(await store.transaction((tx) => tx.notices.add(first))).toBe(true)
      expect(await store.transaction((tx) => tx.notices.add(again))).toBe(false)
      expect(await other.read.notices.open()).toEqual([first])

      const ended = { ...first, goneAt: NOW + 5, endedAt: NOW + 6 }
      await store.transaction((tx) => tx.notices.save(ended))
      expect(await other.read.notices.open()).toEqual([])
      expect(await store.transaction((tx) => tx.notices.add(again))).toBe(true)
      expect(await other.read.notices.page({ limit: 10 })).toEqual([again, ended])
      expect(await other.read.notices.page({ before: again.noticeId, limit: 10 })).toEqual([ended])
    })

    test('a message is found with its notice, and changes', async () => {
      const { store, other } = atHand()
      const notice = noticeNumber(1)
      const message = messageOf(notice)
      await store.transaction(async (tx) => {
        await tx.notices.add(notice)
        await tx.notices.saveMessage(message)
      })
      const failed: NoticeMessage = { ...message, status: 'failed', tries: 7, triedAt: NOW, error: 'HTTP 500' }
      await store.transaction(async (tx) => {
        expect(await tx.notices.lockMessage(message.messageId)).toEqual({ notice, message })
        await tx.notices.saveMessage(failed)
        expect(await tx.notices.messages(notice.noticeId)).toEqual([failed])
      })
      expect(await other.read.notices.messagesOf([notice.noticeId])).toEqual([failed])
    })

    test('the settings of a way are sealed', async () => {
      const { store, other } = atHand()
      await store.transaction(async (tx) => {
        await tx.notices.saveWay(WAY)
      })
      expect(await other.read.notices.ways()).toEqual([WAY])
      await store.transaction(async (tx) => {
        expect(await tx.notices.ways()).toEqual([WAY])
        expect(await tx.notices.removeWay('way_one')).toBe(true)
        expect(await tx.notices.removeWay('way_one')).toBe(false)
      })
      expect(await other.read.notices.ways()).toEqual([])
    })

    test('those that ended long ago are deleted with their messages', async () => {
      const { store, other } = atHand()
      const [old, open] = [noticeNumber(1, { endedAt: NOW + 9 }), noticeNumber(2)]
      await store.transaction(async (tx) => {
        await tx.notices.add(old)
        await tx.notices.add(open)
        await tx.notices.saveMessage(messageOf(old))
      })
      expect(await store.transaction((tx) => tx.retention.notices(NOW + 9, 10))).toBe(0)
      expect(await store.transaction((tx) => tx.retention.notices(NOW + 10, 10))).toBe(1)
      expect(await other.read.notices.page({ limit: 10 })).toEqual([open])
      expect(await other.read.notices.messagesOf([old.noticeId])).toEqual([])
    })
  })
}
