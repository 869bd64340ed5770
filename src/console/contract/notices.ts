/** Notices to the operator, and the ways on which they are told. */
import { z } from 'zod'
import { MAIL_SECURITY, NOTICE_CHANNELS, NOTICE_KINDS } from '../../domain/operations/notice'
import { at, ok, pageInput, pageOf, procedure } from './base'

const notice = z.object({
  noticeId: z.string(),
  kind: z.enum(NOTICE_KINDS),
  /** Missing: it is about the installation. */
  appId: z.string().optional(),
  /** Values of its sentence. */
  facts: z.record(z.string(), z.union([z.string(), z.number()])),
  isUrgent: z.boolean(),
  since: at,
  endedAt: at.optional(),
  /** Where it was told beside the console, in order. */
  told: z.array(
    z.object({
      /** Name of the way; its id where it was removed. */
      way: z.string(),
      phase: z.enum(['began', 'ended']),
      status: z.enum(['pending', 'sent', 'failed', 'dropped']),
      error: z.string().optional(),
    }),
  ),
})

/** Never its secrets. */
const way = z.object({
  wayId: z.string(),
  name: z.string(),
  channel: z.enum(NOTICE_CHANNELS),
  target: z.string(),
  createdAt: at,
})

/** Minutes after midnight, in a time zone of the IANA. */

export const notices = {
  open: procedure('look', 'apps').output(z.object({ notices: z.array(notice) })),
  /** Newest first, open or ended. */
  list: procedure('look', 'apps').input(pageInput).output(pageOf(notice)),
  ways: procedure('carriers', 'installation').output(z.object({ ways: z.array(way) })),
  addWay: procedure('carriers', 'installation')
    .input(
      z.object({
        name: z.string(),
        channel: z.enum(NOTICE_CHANNELS),
        url: z.string().optional(),
        host: z.string().optional(),
        port: z.int().optional(),
        security: z.enum(MAIL_SECURITY).optional(),
        user: z.string().optional(),
        password: z.string().optional(),
        from: z.string().optional(),
        to: z.string().optional(),
      }),
    )
    /** The secret of a webhook is shown only now. */
    .output(way.extend({ secret: z.string().optional() })),
  removeWay: procedure('carriers', 'installation')
    .input(z.object({ wayId: z.string() }))
    .output(ok),
  /** Sends one message at once. `error`: why it was not taken. */
  testWay: procedure('carriers', 'installation')
    .input(z.object({ wayId: z.string() }))
    .output(z.object({ error: z.string().optional() })),
  /** Without them there are none. */
}
