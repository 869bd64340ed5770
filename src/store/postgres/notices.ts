/** Notices, the ways on which they are told, and their messages. */
import { asc, desc, eq, sql } from 'drizzle-orm'
import type { Tx } from '../../ports/store'
import type { NoticeReader } from '../../ports/store/notices'
import type { Vault } from '../../ports/vault'
import { messageOf, messageRow, noticeOf, noticeRow, wayOf, wayRow } from '../rows/notice'
import { bind, changes, db, listOf, parameters, statement } from './connection/statement'
import type { Querying, Transaction } from './connection/transaction'
import { noticeMessages, notices, noticeWays } from './schema'

const thisNotice = eq(notices.noticeId, bind(notices.noticeId, 'noticeId'))
const thisWay = eq(noticeWays.wayId, bind(noticeWays.wayId, 'wayId'))
const isOpen = sql`${notices.endedAt} IS NULL`

const WAYS = statement(() =>
  db.select().from(noticeWays).orderBy(asc(noticeWays.createdAt), asc(noticeWays.wayId)).prepare(''),
)
const STATEMENTS = {
  insert: statement(() =>
    db
      .insert(notices)
      .values(parameters(notices))
      .onConflictDoNothing()
      .returning({ noticeId: notices.noticeId })
      .prepare(''),
  ),
  lock: statement(() => db.select().from(notices).where(thisNotice).for('no key update').prepare('')),
  save: statement(() =>
    db
      .update(notices)
      .set(changes(notices, ['goneAt', 'endedAt']))
      .where(thisNotice)
      .prepare(''),
  ),
  saveMessage: statement(() =>
    db
      .insert(noticeMessages)
      .values(parameters(noticeMessages))
      .onConflictDoUpdate({
        target: noticeMessages.messageId,
        set: {
          status: sql`excluded.status`,
          tries: sql`excluded.tries`,
          triedAt: sql`excluded.tried_at`,
          error: sql`excluded.error`,
        },
      })
      .prepare(''),
  ),
  lockOfMessage: statement(() =>
    db
      .select()
      .from(notices)
      .where(
        sql`${notices.noticeId} = (SELECT notice_id FROM notice_messages WHERE message_id = ${bind(noticeMessages.messageId, 'messageId')})`,
      )
      .for('no key update')
      .prepare(''),
  ),
  message: statement(() =>
    db
      .select()
      .from(noticeMessages)
      .where(eq(noticeMessages.messageId, bind(noticeMessages.messageId, 'messageId')))
      .prepare(''),
  ),
  messages: statement(() =>
    db
      .select()
      .from(noticeMessages)
      .where(eq(noticeMessages.noticeId, bind(noticeMessages.noticeId, 'noticeId')))
      .prepare(''),
  ),
  saveWay: statement(() =>
    db
      .insert(noticeWays)
      .values(parameters(noticeWays))
      .onConflictDoUpdate({
        target: noticeWays.wayId,
        set: { name: sql`excluded.name`, settings: sql`excluded.settings` },
      })
      .prepare(''),
  ),
  removeWay: statement(() => db.delete(noticeWays).where(thisWay).returning({ wayId: noticeWays.wayId }).prepare('')),
}

export function noticeTx(transaction: Transaction, vault: Vault): Tx['notices'] {
  return {
    async add(notice) {
      return (await transaction.change(STATEMENTS.insert, { ...noticeRow(notice) })).length > 0
    },
    async lock(noticeId) {
      const row = await transaction.get(STATEMENTS.lock, { noticeId })
      return row && noticeOf(row)
    },
    async save(notice) {
      transaction.run(STATEMENTS.save, { ...noticeRow(notice) })
    },
    async saveMessage(message) {
      transaction.run(STATEMENTS.saveMessage, { ...messageRow(message) })
    },
    async lockMessage(messageId) {
      // The message is read behind the lock of its notice, or it might be older than what the lock waited for.
      const [notice, message] = await Promise.all([
        transaction.get(STATEMENTS.lockOfMessage, { messageId }),
        transaction.get(STATEMENTS.message, { messageId }),
      ])
      return notice && message && { notice: noticeOf(notice), message: messageOf(message) }
    },
    messages: async (noticeId) => (await transaction.all(STATEMENTS.messages, { noticeId })).map(messageOf),
    ways: async () => (await transaction.all(WAYS)).map((row) => wayOf(vault, row)),
    async saveWay(way) {
      transaction.run(STATEMENTS.saveWay, { ...wayRow(vault, way) })
    },
    async removeWay(wayId) {
      return (await transaction.change(STATEMENTS.removeWay, { wayId })).length > 0
    },
  }
}

const READS = {
  open: statement(() => db.select().from(notices).where(isOpen).orderBy(desc(notices.noticeId)).prepare('')),
  page: statement(() =>
    db
      .select()
      .from(notices)
      .where(sql`${notices.noticeId} < ${bind(notices.noticeId, 'before')}`)
      .orderBy(desc(notices.noticeId))
      .limit(sql.placeholder('limit'))
      .prepare(''),
  ),
  messagesOf: statement(() =>
    db
      .select()
      .from(noticeMessages)
      .where(sql`${noticeMessages.noticeId} = ANY (${sql.placeholder('noticeIds')}::uuid[])`)
      .prepare(''),
  ),
}

export const noticeReader = (pool: Querying, vault: Vault): NoticeReader => ({
  open: async () => (await pool.all(READS.open)).map(noticeOf),
  page: async ({ before = LAST_ID, limit }) => (await pool.all(READS.page, { before, limit })).map(noticeOf),
  messagesOf: async (noticeIds) => (await pool.all(READS.messagesOf, { noticeIds: listOf(noticeIds) })).map(messageOf),
  ways: async () => (await pool.all(WAYS)).map((row) => wayOf(vault, row)),
})

/** Behind every id. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
