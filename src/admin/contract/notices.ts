/** Notices to the operator, and the ways on which they are told. */
import { z } from 'zod'
import { MAIL_SECURITY, NOTICE_CHANNELS, NOTICE_KINDS } from '../../domain/operations/notice'
import { act, at, ok, pageInput, pageOf } from './base'

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
  open: act('GET /notices/open', 'List the open notices.', 'look', 'apps').output(
    z.object({ notices: z.array(notice) }),
  ),
  list: act('GET /notices', 'List notices. Newest first, open or ended.', 'look', 'apps')
    .input(pageInput)
    .output(pageOf(notice)),
  ways: act('GET /notice-ways', 'List the ways on which notices are sent.', 'carriers', 'installation').output(
    z.object({ ways: z.array(way) }),
  ),
  addWay: act('POST /notice-ways', 'Add a way.', 'carriers', 'installation')
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
  removeWay: act('DELETE /notice-ways/{wayId}', 'Remove a way.', 'carriers', 'installation')
    .input(z.object({ wayId: z.string() }))
    .output(ok),
  testWay: act(
    'POST /notice-ways/{wayId}/test',
    'Test a way. Sends one message at once. `error`: why it was not taken.',
    'carriers',
    'installation',
  )
    .input(z.object({ wayId: z.string() }))
    .output(z.object({ error: z.string().optional() })),
  /** Without them there are none. */
}
