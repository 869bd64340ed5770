/** Notices, the ways on which they are told, and their messages. */
import type { Database } from 'bun:sqlite'
import { asc, desc, eq, sql } from 'drizzle-orm'
import type { Reader, Tx } from '../../ports/store'
import type { Vault } from '../../ports/vault'
import { messageOf, messageRow, noticeOf, noticeRow, wayOf, wayRow } from '../rows/notice'
import { bind, changes, db, on, parameters, statement } from './connection/statement'
import { noticeMessages, notices, noticeWays } from './schema'

const thisNotice = eq(notices.noticeId, bind(notices.noticeId, 'noticeId'))
const thisWay = eq(noticeWays.wayId, bind(noticeWays.wayId, 'wayId'))

const COMMON = {
  ways: statement(() =>
    db.select().from(noticeWays).orderBy(asc(noticeWays.createdAt), asc(noticeWays.wayId)).prepare(),
  ),
}

const NOTICE_TX = {
  ...COMMON,
  insert: statement(() => db.insert(notices).values(parameters(notices)).onConflictDoNothing().prepare()),
  find: statement(() => db.select().from(notices).where(thisNotice).prepare()),
  save: statement(() =>
    db
      .update(notices)
      .set(changes(notices, ['goneAt', 'endedAt']))
      .where(thisNotice)
      .prepare(),
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
      .prepare(),
  ),
  message: statement(() =>
    db
      .select({ notice: notices, message: noticeMessages })
      .from(noticeMessages)
      .innerJoin(notices, eq(notices.noticeId, noticeMessages.noticeId))
      .where(eq(noticeMessages.messageId, bind(noticeMessages.messageId, 'messageId')))
      .prepare(),
  ),
  messages: statement(() =>
    db
      .select()
      .from(noticeMessages)
      .where(eq(noticeMessages.noticeId, bind(noticeMessages.noticeId, 'noticeId')))
      .prepare(),
  ),
  saveWay: statement(() =>
    db
      .insert(noticeWays)
      .values(parameters(noticeWays))
      .onConflictDoUpdate({
        target: noticeWays.wayId,
        set: { name: sql`excluded.name`, settings: sql`excluded.settings` },
      })
      .prepare(),
  ),
  removeWay: statement(() => db.delete(noticeWays).where(thisWay).prepare()),
}

export function createNoticeTx(connection: Database, vault: Vault): Pick<Tx, 'notices'> {
  const run = on(connection, NOTICE_TX)
  return {
    notices: {
      async add(notice) {
        return run.insert.run({ ...noticeRow(notice) }).changes > 0
      },
      async lock(noticeId) {
        const row = run.find.get({ noticeId })
        return row && noticeOf(row)
      },
      async save(notice) {
        run.save.run({ ...noticeRow(notice) })
      },
      async saveMessage(message) {
        run.saveMessage.run({ ...messageRow(message) })
      },
      async lockMessage(messageId) {
        const row = run.message.get({ messageId })
        return row && { notice: noticeOf(row.notice), message: messageOf(row.message) }
      },
      async messages(noticeId) {
        return run.messages.all({ noticeId }).map(messageOf)
      },
      async ways() {
        return run.ways.all().map((row) => wayOf(vault, row))
      },
      async saveWay(way) {
        run.saveWay.run({ ...wayRow(vault, way) })
      },
      async removeWay(wayId) {
        return run.removeWay.run({ wayId }).changes > 0
      },
    },
  }
}

const isOpen = sql`${notices.endedAt} IS NULL`

const NOTICE_READER = {
  ...COMMON,
  open: statement(() => db.select().from(notices).where(isOpen).orderBy(desc(notices.noticeId)).prepare()),
  page: statement(() =>
    db
      .select()
      .from(notices)
      .where(sql`${notices.noticeId} < ${bind(notices.noticeId, 'before')}`)
      .orderBy(desc(notices.noticeId))
      .limit(sql.placeholder('limit'))
      .prepare(),
  ),
  messages: statement(() =>
    db
      .select()
      .from(noticeMessages)
      .where(eq(noticeMessages.noticeId, bind(noticeMessages.noticeId, 'noticeId')))
      .prepare(),
  ),
}

export function createNoticeReader(connection: Database, vault: Vault): Pick<Reader, 'notices'> {
  const run = on(connection, NOTICE_READER)
  return {
    notices: {
      async open() {
        return run.open.all().map(noticeOf)
      },
      async page({ before = LAST_ID, limit }) {
        return run.page.all({ before, limit }).map(noticeOf)
      },
      async messagesOf(noticeIds) {
        return noticeIds.flatMap((noticeId) => run.messages.all({ noticeId }).map(messageOf))
      },
      async ways() {
        return run.ways.all().map((row) => wayOf(vault, row))
      },
    },
  }
}

/** Behind every id. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
