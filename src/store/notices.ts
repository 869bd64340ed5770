/** Notices, the ways on which they are told, and their messages. */
import { asc, desc, lt, sql } from 'drizzle-orm'
import type { NoticeWay } from '../domain/operations/notice'
import type { NoticeReader, NoticeTx } from '../ports/store/notices'
import type { Vault } from '../ports/vault'
import { inDialect } from './dialect'
import { BEYOND_ALL_IDS } from './ids'
import type { Querying, Session } from './session'
import { statement } from './statement'

interface WayRow extends Omit<NoticeWay, 'settings'> {
  settings: Uint8Array
}

export const waySeal = (wayId: string) => `notice-way:${wayId}`

const wayRow = (vault: Vault, way: NoticeWay): WayRow => ({
  ...way,
  settings: vault.seal(waySeal(way.wayId), JSON.stringify(way.settings)),
})

const wayOf = (vault: Vault, row: WayRow): NoticeWay => ({
  ...row,
  settings: JSON.parse(vault.open(waySeal(row.wayId), row.settings)),
})

const STATEMENTS = inDialect(({ db, tables: { noticeMessages, notices, noticeWays }, ...its }) => {
  const { match, changes, parameters, excluded, locked, bind } = its
  const thisNotice = match(notices, 'noticeId')
  const thisMessage = match(noticeMessages, 'messageId')
  return {
    insert: statement(() => db.insert(notices).values(parameters(notices)).onConflictDoNothing()),
    lock: statement(() => locked(db.select().from(notices).where(thisNotice))),
    save: statement(() =>
      db
        .update(notices)
        .set(changes(notices, ['goneAt', 'endedAt']))
        .where(thisNotice),
    ),
    open: statement(() =>
      db.select().from(notices).where(sql`${notices.endedAt} IS NULL`).orderBy(desc(notices.noticeId)),
    ),
    page: statement(() =>
      db
        .select()
        .from(notices)
        .where(lt(notices.noticeId, bind(notices.noticeId, 'before')))
        .orderBy(desc(notices.noticeId))
        .limit(sql.placeholder('limit')),
    ),
    saveMessage: statement(() =>
      db
        .insert(noticeMessages)
        .values(parameters(noticeMessages))
        .onConflictDoUpdate({
          target: noticeMessages.messageId,
          set: excluded(noticeMessages, ['status', 'tries', 'triedAt', 'error']),
        }),
    ),
    lockOfMessage: statement(() =>
      locked(
        db
          .select()
          .from(notices)
          .where(sql`${notices.noticeId} = (SELECT notice_id FROM notice_messages WHERE ${thisMessage})`),
      ),
    ),
    message: statement(() => db.select().from(noticeMessages).where(thisMessage)),
    messages: statement(() => db.select().from(noticeMessages).where(match(noticeMessages, 'noticeId'))),
    ways: statement(() => db.select().from(noticeWays).orderBy(asc(noticeWays.createdAt), asc(noticeWays.wayId))),
    saveWay: statement(() =>
      db
        .insert(noticeWays)
        .values(parameters(noticeWays))
        .onConflictDoUpdate({ target: noticeWays.wayId, set: excluded(noticeWays, ['name', 'settings']) }),
    ),
    removeWay: statement(() => db.delete(noticeWays).where(match(noticeWays, 'wayId'))),
  }
})

export function noticeTx(tx: Session, vault: Vault): NoticeTx {
  const its = STATEMENTS(tx)
  return {
    add: async (notice) => (await tx.change(its.insert, notice)) > 0,
    async lock(noticeId) {
      return tx.get(its.lock, { noticeId })
    },
    save: async (notice) => tx.run(its.save, notice),
    saveMessage: async (message) => tx.run(its.saveMessage, message),
    async lockMessage(messageId) {
      // The message is read behind the lock of its notice, or it might be older than what the lock waited for.
      const [notice, message] = await Promise.all([
        tx.get(its.lockOfMessage, { messageId }),
        tx.get(its.message, { messageId }),
      ])
      return notice && message && { notice: notice, message: message }
    },
    messages: async (noticeId) => tx.all(its.messages, { noticeId }),
    ways: async () => (await tx.all(its.ways)).map((row) => wayOf(vault, row)),
    saveWay: async (way) => tx.run(its.saveWay, wayRow(vault, way)),
    removeWay: async (wayId) => (await tx.change(its.removeWay, { wayId })) > 0,
  }
}

export function noticeReader(reads: Querying, vault: Vault): NoticeReader {
  const its = STATEMENTS(reads)
  return {
    open: async () => reads.all(its.open),
    page: async ({ before = BEYOND_ALL_IDS, limit }) => reads.all(its.page, { before, limit }),
    async messagesOf(noticeIds) {
      const found = await Promise.all(noticeIds.map((noticeId) => reads.all(its.messages, { noticeId })))
      return found.flat()
    },
    ways: async () => (await reads.all(its.ways)).map((row) => wayOf(vault, row)),
  }
}
