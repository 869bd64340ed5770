/** Ways on which notices are told, and what was told. Decisions: "Notices". */
import { assertWay, MOST_WAYS, type Notice, type NoticeMessage, type NoticeWay } from '../../domain/operations/notice'
import { invalid, missing } from '../../domain/shared/error'
import { newSecret } from '../../domain/webhooks/signature'
import type { Store } from '../../ports/store'
import { type NoticeSenderDependencies, sendBy, testNotice } from '../send-notice'
import { newId } from '../shared/id'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, label, type MakingDependencies } from './shared'

/** The secret of a webhook is shown only now. Throws `invalid`. */
export async function addNoticeWay(
  deps: MakingDependencies,
  { name, channel, settings }: Pick<NoticeWay, 'name' | 'channel' | 'settings'>,
): Promise<{ way: NoticeWay; newSecret: string | undefined }> {
  const made = channel === 'webhook' && !settings.secret ? newSecret(deps.random.bytes(32)) : undefined
  const known = { name: label(name, 'name'), channel, settings: { ...settings, ...(made && { secret: made }) } }
  assertWay(known)
  return deps.store.transaction(async (tx) => {
    const ways = await tx.notices.ways()
    if (ways.some((way) => way.name === known.name))
      throw invalid('name', 'name_taken', `there is a way ${known.name} already`, { name: known.name })
    if (ways.length >= MOST_WAYS) throw invalid('name', 'too_many', `at most ${MOST_WAYS} ways`, { max: MOST_WAYS })
    const way = { ...known, wayId: newId(deps.random, 'way'), createdAt: tx.now }
    await tx.notices.saveWay(way)
    await writeAudit(deps, tx, 'notice.way_add', way.wayId, { name: way.name, channel })
    return { way, newSecret: made }
  })
}

/** Messages that wait for it are dropped. Throws `not_found`. */
export async function removeNoticeWay(deps: AdminDependencies, wayId: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    if (!(await tx.notices.removeWay(wayId))) throw missing('way of notices', wayId)
    await writeAudit(deps, tx, 'notice.way_remove', wayId)
  })
}

/** Sends a message at once. Answers why it was not taken; undefined: it was. Throws `not_found`. */
export async function testNoticeWay(
  deps: MakingDependencies & NoticeSenderDependencies,
  idOrName: string,
): Promise<string | undefined> {
  const way = (await deps.store.read.notices.ways()).find((one) => one.wayId === idOrName || one.name === idOrName)
  if (!way) throw missing('way of notices', idOrName)
  const now = deps.clock.now()
  const error = await sendBy(deps, way, testNotice(deps.random.uuid(now), now))
  await deps.store.transaction((tx) =>
    writeAudit(deps, tx, 'notice.way_test', way.wayId, { taken: error === undefined }),
  )
  return error
}

/** A notice, and where it was told. */
export interface ToldNotice extends Notice {
  messages: NoticeMessage[]
}

/** Newest first; open ones only, or a page of all. */
export async function listNotices(
  { store: { read } }: { store: Pick<Store, 'read'> },
  which: 'open' | { before?: string | undefined; limit: number },
): Promise<ToldNotice[]> {
  const notices = await (which === 'open' ? read.notices.open() : read.notices.page(which))
  const messages = await read.notices.messagesOf(notices.map(({ noticeId }) => noticeId))
  return notices.map((notice) => ({
    ...notice,
    messages: messages.filter(({ noticeId }) => noticeId === notice.noticeId),
  }))
}
