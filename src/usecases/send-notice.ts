/**
 * Sends one message about a notice on one way: prepare → send (outside any transaction) → record. Each message is sent
 * at least once. The receiver knows a repeated one by its id, which Slack has no place for. Decisions: "Notices".
 */
import type { Job } from '../domain/operations/job'
import {
  afterTry,
  isUrgent,
  type Notice,
  type NoticeMessage,
  type NoticePhase,
  type NoticeWay,
  textOf,
} from '../domain/operations/notice'
import { VERSION } from '../domain/operations/version'
import { SECOND_MS } from '../domain/shared/value'
import { signatureHeaders } from '../domain/webhooks/signature'
import { judge } from '../domain/webhooks/webhook'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { Mailer, Transport } from '../ports/network'
import type { Node } from '../ports/node'
import type { Tx } from '../ports/store'
import type { Random } from '../ports/vault'
import type { JobHandler } from '../ports/work'
import { queueMessage } from './watch-notices'

export interface NoticeSenderDependencies {
  clock: Pick<Clock, 'now'>
  /** The operator's receivers may be on this machine or in a private network. */
  toOperator: Transport
  mailer: Mailer
  /** The origin of the console, for links. */
  publicUrl: string | undefined
}

export interface SendNoticeDependencies extends NoticeSenderDependencies {
  log: Log
  random: Random
  node: Pick<Node, 'wakeUps'>
}

const NOTICE_TIMEOUT_MS = 15 * SECOND_MS

interface NoticeCall {
  notice: Notice
  message: NoticeMessage
  way: NoticeWay
}

/** The answer is why it was not taken; undefined: it was. */
export const noticeCall = (
  deps: SendNoticeDependencies,
): JobHandler<Omit<NoticeCall, 'way'> | undefined, NoticeCall, { error: string | undefined }> => ({
  lock: (tx, job) => tx.notices.lockMessage(job.subjectId),
  prepare,
  act: async ({ notice, message, way }) => ({ error: await sendBy(deps, way, rendered(deps, notice, message.phase)) }),
  async record(tx, job, subject, { way }, { error }) {
    if (!subject) return void (await tx.jobs.finish(job))
    const isOver = subject.message.status === 'dropped' && subject.notice.endedAt !== undefined
    // Whoever did not get it knows of no beginning.
    if (isOver && error !== undefined) return void (await tx.jobs.finish(job))
    const { message, againAt } = afterTry(subject.message, error, tx.now)
    await tx.notices.saveMessage(message)
    if (againAt === undefined) await tx.jobs.finish(job)
    else await tx.jobs.reschedule(job, againAt, job.queue)
    if (isOver) await queueMessage(deps, tx, subject.notice, message.wayId, 'ended')
    tx.afterCommit(() => {
      deps.node.wakeUps.wake('notice')
      if (error !== undefined)
        deps.log.warn({ noticeId: message.noticeId, way: way.name, reason: error }, 'could not send a notice')
    })
  },
})

async function prepare(
  tx: Tx,
  job: Job,
  subject: Omit<NoticeCall, 'way'> | undefined,
): Promise<NoticeCall | undefined> {
  const way = (await tx.notices.ways()).find(({ wayId }) => wayId === subject?.message.wayId)
  if (subject?.message.status !== 'pending' || !way) {
    await tx.jobs.finish(job)
    if (subject?.message.status === 'pending') await tx.notices.saveMessage({ ...subject.message, status: 'dropped' })
    return undefined
  }
  return { ...subject, way }
}

/** The content of a notice, which each way writes in its own form. */
interface RenderedNotice {
  id: string
  subject: string
  text: string
  body: object
}

const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

function rendered({ publicUrl }: NoticeSenderDependencies, notice: Notice, phase: NoticePhase): RenderedNotice {
  const { noticeId, kind, appId, facts, since, endedAt } = notice
  const { title, says, advice, page } = textOf(notice)
  const url = publicUrl && `${publicUrl}/console${page}`
  const subject = phase === 'began' ? title : `Over: ${title}`
  const sentences = phase === 'began' ? [says, advice] : [`It is over: ${says}`]
  return {
    id: `${noticeId}.${phase}`,
    subject,
    text: [...sentences, ...(url ? [url] : [])].join('\n'),
    body: {
      type: `notice.${phase}`,
      createdAt: iso(endedAt ?? since),
      data: {
        ...{ noticeId, kind, appId, urgent: isUrgent(kind), title, says, advice, facts, url },
        ...{ since: iso(since), endedAt: iso(endedAt) },
      },
    },
  }
}

/** A message that says that the way works. `id` is new for each. */
export const testNotice = (id: string, now: number): RenderedNotice => ({
  id,
  subject: 'A test of Watchword',
  text: 'Notices of Watchword arrive here. There is nothing to do.',
  body: { type: 'notice.test', createdAt: iso(now), data: {} },
})

/** Answers why the receiver did not take it; undefined: it did. */
export async function sendBy(
  deps: NoticeSenderDependencies,
  { channel, settings }: NoticeWay,
  { id, subject, text, body }: RenderedNotice,
): Promise<string | undefined> {
  if (channel === 'mail') return deps.mailer.send(settings, { id, subject, text }, NOTICE_TIMEOUT_MS)
  const { url = '', secret } = settings
  const sent = JSON.stringify(channel === 'slack' ? { text: `*${subject}*\n${text}` } : body)
  const timestampSec = Math.floor(deps.clock.now() / 1_000)
  const answer = await deps.toOperator.request({
    method: 'POST',
    url,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': `Watchword/${VERSION}`,
      ...(secret !== undefined && signatureHeaders({ eventId: id, body: sent, secrets: [secret], timestampSec })),
    },
    body: sent,
    timeoutMs: NOTICE_TIMEOUT_MS,
  })
  if (answer.kind !== 'answered') return answer.reason
  return judge({ status: answer.status, retryAfterMs: undefined }) === 'delivered' ? undefined : `HTTP ${answer.status}`
}
