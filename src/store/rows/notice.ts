/** Notices, their messages, and the ways on which they are told. */
import type { Notice, NoticeMessage, NoticeWay } from '../../domain/operations/notice'
import type { Vault } from '../../ports/vault'
import type { Row } from '../tables'

export const noticeOf = (row: Row<Notice>): Notice => ({
  ...row,
  appId: row.appId ?? undefined,
  goneAt: row.goneAt ?? undefined,
  endedAt: row.endedAt ?? undefined,
})

export const noticeRow = (notice: Notice): Row<Notice> => ({
  ...notice,
  appId: notice.appId ?? null,
  goneAt: notice.goneAt ?? null,
  endedAt: notice.endedAt ?? null,
})

export const messageOf = (row: Row<NoticeMessage>): NoticeMessage => ({
  ...row,
  triedAt: row.triedAt ?? undefined,
  error: row.error ?? undefined,
})

export const messageRow = (message: NoticeMessage): Row<NoticeMessage> => ({
  ...message,
  triedAt: message.triedAt ?? null,
  error: message.error ?? null,
})

interface WayRow extends Omit<NoticeWay, 'settings'> {
  settings: Uint8Array
}

export const waySeal = (wayId: string) => `notice-way:${wayId}`

export const wayRow = (vault: Vault, way: NoticeWay): WayRow => ({
  ...way,
  settings: vault.seal(waySeal(way.wayId), JSON.stringify(way.settings)),
})

export const wayOf = (vault: Vault, row: WayRow): NoticeWay => ({
  ...row,
  settings: JSON.parse(vault.open(waySeal(row.wayId), row.settings)),
})
