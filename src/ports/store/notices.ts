/** Notices, the ways on which they are told and their messages. */
import type { Notice, NoticeMessage, NoticeWay } from '../../domain/operations/notice'

export interface NoticeTx {
  /** Adds an open notice. False where one of its kind and subject is open already. */
  add(notice: Notice): Promise<boolean>
  /** Locks a notice. */
  lock(noticeId: string): Promise<Notice | undefined>
  /** Stores when its condition was gone and when it ended. */
  save(notice: Notice): Promise<void>
  saveMessage(message: NoticeMessage): Promise<void>
  /** Locks the notice of a message, and so the message. */
  lockMessage(messageId: string): Promise<{ notice: Notice; message: NoticeMessage } | undefined>
  /** The messages of a locked notice. */
  messages(noticeId: string): Promise<NoticeMessage[]>
  /** Not locked: a way changes seldom. */
  ways(): Promise<NoticeWay[]>
  saveWay(way: NoticeWay): Promise<void>
  removeWay(wayId: string): Promise<boolean>
  /** Undefined: none. */
}

export interface NoticeReader {
  /** Notices that have not ended. */
  open(): Promise<Notice[]>
  /** Newest first; `before`: only older ones. */
  page(bounds: { before?: string | undefined; limit: number }): Promise<Notice[]>
  messagesOf(noticeIds: readonly string[]): Promise<NoticeMessage[]>
  /** In the order in which they were added. */
  ways(): Promise<NoticeWay[]>
}
