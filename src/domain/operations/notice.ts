/**
 * Notices: what the operator must know, and what to do about it. A notice is of a kind and a subject, begins once, and
 * ends when its condition has passed. Nobody is notified twice of one notice. Decisions: "Notices".
 */
import { invalid } from '../shared/error'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../shared/value'
import { isSecret } from '../webhooks/signature'

export const NOTICE_KINDS = [
  'no_credit',
  'low_credit',
  'carrier_down',
  'no_reports',
  'deliveries_failing',
  'attack',
  'endpoint_disabled',
  'backup_overdue',
  'webhook_certificate',
  'disk_low',
  'clock_stepped',
] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** The values of the sentences: names and counts, and never a number, a code or a key. */
export type NoticeFacts = Readonly<Record<string, string | number>>

/** A condition that a server finds now. */
export interface Condition {
  readonly kind: NoticeKind
  /** An app, a carrier, an endpoint or an incident, by its id. */
  readonly subject: string
  /** The app that it is about; undefined: the installation. */
  readonly appId: string | undefined
  readonly facts: NoticeFacts
}

export interface Notice extends Condition {
  readonly noticeId: string
  /** Unix milliseconds. */
  readonly since: number
  /** Since when the condition has been gone; a kind may wait before its notice ends. */
  readonly goneAt: number | undefined
  readonly endedAt: number | undefined
}

interface KindRules {
  /** Pages somebody. */
  isUrgent: boolean
  /** How long the condition must be gone before the notice ends, so that it does not come and go. */
  calmMs: number
  /** The page of the console that helps. */
  page: string
  title: string
  says(facts: NoticeFacts): string
  advice: string
}

const KINDS: Readonly<Record<NoticeKind, KindRules>> = {
  no_credit: {
    ...{ isUrgent: true, calmMs: 0, page: '/wallet', title: 'An app is out of credit' },
    says: ({ app }) => `App ${app} has no credit left. Its codes are refused.`,
    advice: 'Add credit. Codes go out again at once.',
  },
  low_credit: {
    ...{ isUrgent: false, calmMs: 0, page: '/wallet', title: 'Credit is low' },
    says: ({ app, available, days }) =>
      days === undefined
        ? `App ${app} has ${available} credits left.`
        : `App ${app} has ${available} credits left, enough for about ${days} days.`,
    advice: 'Add credit before its codes are refused.',
  },
  carrier_down: {
    ...{ isUrgent: true, calmMs: 5 * MINUTE_MS, page: '/providers', title: 'A carrier is down' },
    says: ({ carrier, code }) => `Carrier ${carrier} does not accept messages${code === '' ? '' : ` (${code})`}.`,
    advice:
      '`watchword provider list` says why: its address does not answer, or the account is refused. Another carrier of the channel goes on meanwhile.',
  },
  no_reports: {
    ...{ isUrgent: false, calmMs: 0, page: '/providers', title: 'A carrier reports nothing' },
    says: ({ carrier, accepted, refused, why }) =>
      `Carrier ${carrier} has reported nothing for ${accepted} accepted messages.${refused === 0 ? '' : ` ${refused} reports were refused: ${why}.`}`,
    advice: 'Compare the report URL and the secret that the carrier has with those of the carrier page.',
  },
  deliveries_failing: {
    ...{ isUrgent: false, calmMs: 0, page: '/issues', title: 'Deliveries are failing' },
    says: ({ app, percent, usual }) =>
      `${percent} % of the messages of app ${app} failed in the last two hours, usually ${usual} %.`,
    advice: 'Look at the failed messages: their carrier and country say where they fail.',
  },
  attack: {
    ...{ isUrgent: true, calmMs: 0, page: '/protection', title: 'Codes are requested that nobody verifies' },
    says: ({ app, country }) => `App ${app}: codes to ${country === '' ? 'unknown countries' : country} look abused.`,
    advice: 'Look at the incident, and block the country if nobody of yours is there.',
  },
  endpoint_disabled: {
    ...{ isUrgent: false, calmMs: 0, page: '/webhooks', title: 'A webhook endpoint is disabled' },
    says: ({ app, host, reason }) => `App ${app}: the endpoint at ${host} gets no more events. ${reason}.`,
    advice: 'Mend the receiver, enable the endpoint, and replay what failed.',
  },
  backup_overdue: {
    ...{ isUrgent: false, calmMs: 0, page: '/system', title: 'A backup is overdue' },
    says: ({ newest, failed, why }) =>
      [
        failed === undefined ? undefined : `The backup of ${failed} failed: ${why}.`,
        newest === '' ? 'No backup has been made.' : `The newest backup is of ${newest}.`,
      ]
        .filter(Boolean)
        .join(' '),
    advice: 'Look at the room on the disk and at the owner of the folder, and make one by `watchword backup`.',
  },
  webhook_certificate: {
    ...{ isUrgent: false, calmMs: 0, page: '/webhooks', title: 'The certificate of a webhook endpoint' },
    says: ({ app, host, until }) =>
      until === ''
        ? `App ${app}: the certificate of ${host} is refused: it has expired, or nobody known vouches for it.`
        : `App ${app}: the certificate of ${host} expires on ${until}.`,
    advice: 'Its owner must renew the certificate, or events are not delivered.',
  },
  disk_low: {
    ...{ isUrgent: true, calmMs: 5 * MINUTE_MS, page: '/system', title: 'The disk is almost full' },
    says: ({ freeMib, neededMib }) =>
      `${freeMib} MiB are free on the disk of the data folder. Less than ${neededMib} MiB are too few for a backup and the next codes.`,
    advice: 'Make room, or move the data folder to a larger disk. On a full disk no code can be issued.',
  },
  clock_stepped: {
    ...{ isUrgent: false, calmMs: 0, page: '/system', title: 'The clock was set back' },
    says: ({ seconds }) => `The clock of the database was set back by ${seconds} seconds in the last day.`,
    advice: 'Check time synchronization (NTP). Codes that were valid then expire that much earlier.',
  },
}

export const isUrgent = (kind: NoticeKind): boolean => KINDS[kind].isUrgent

/** A notice in words. */
export interface NoticeText {
  title: string
  says: string
  advice: string
  /** Path below the console. */
  page: string
}

export function textOf({ kind, appId, facts }: Condition): NoticeText {
  const { title, says, advice, page } = KINDS[kind]
  return { title, says: says(facts), advice, page: appId === undefined ? page : `${page}?app=${appId}` }
}

export interface NoticeChanges {
  begin: Condition[]
  /** Notices whose `goneAt` changed. */
  save: Notice[]
  end: Notice[]
}

const keyOf = ({ kind, subject }: Pick<Condition, 'kind' | 'subject'>) => `${kind} ${subject}`

/** Compares the conditions that are found now with the notices that are still open. */
export function compareConditions(open: readonly Notice[], found: readonly Condition[], now: number): NoticeChanges {
  const openKeys = new Set(open.map(keyOf))
  const foundKeys = new Set(found.map(keyOf))
  const changes: NoticeChanges = { begin: found.filter((one) => !openKeys.has(keyOf(one))), save: [], end: [] }
  for (const notice of open) {
    const isGone = !foundKeys.has(keyOf(notice))
    if (!isGone && notice.goneAt !== undefined) changes.save.push({ ...notice, goneAt: undefined })
    if (!isGone) continue
    const goneAt = notice.goneAt ?? now
    // A clock that was set back must not keep it open.
    if (Math.abs(now - goneAt) >= KINDS[notice.kind].calmMs) changes.end.push({ ...notice, goneAt, endedAt: now })
    else if (notice.goneAt === undefined) changes.save.push({ ...notice, goneAt })
  }
  return changes
}

/** Thresholds. */
export const CARRIER_DOWN_MS = 5 * MINUTE_MS
export const CERTIFICATE_DAYS = 14
export const RUNWAY_DAYS = 3
/** Codes of carriers that mean a refused account: no wait is worth it. */
export const isAccountRefused = (code: string | undefined): boolean => code !== undefined && /40[123]$/.test(code)

const FAILING_FROM = 30
const FAILING_SHARE = 0.2
const FAILING_TIMES = 3

interface Sent {
  delivered: number
  failed: number
}

const shareOf = ({ delivered, failed }: Sent) => (failed === 0 ? 0 : failed / (delivered + failed))

/** The shares of failed messages in percent, where they are unusual; undefined where they are not. */
export function unusualFailures(lately: Sent, before: Sent): { percent: number; usual: number } | undefined {
  const [share, usual] = [shareOf(lately), shareOf(before)]
  if (lately.delivered + lately.failed < FAILING_FROM) return undefined
  if (share < FAILING_SHARE || share < usual * FAILING_TIMES) return undefined
  return { percent: Math.round(share * 100), usual: Math.round(usual * 100) }
}

export const NOTICE_CHANNELS = ['webhook', 'mail', 'slack'] as const
export type NoticeChannel = (typeof NOTICE_CHANNELS)[number]

/** Where notices go, beside the console. Its settings are sealed: they hold passwords, secrets and secret URLs. */
export interface NoticeWay {
  readonly wayId: string
  readonly name: string
  readonly channel: NoticeChannel
  readonly settings: WaySettings
  readonly createdAt: number
}

export const MAIL_SECURITY = ['tls', 'starttls', 'none'] as const

export interface WaySettings {
  /** Webhook and Slack have one. */
  readonly url?: string | undefined
  /** Signs the requests of a webhook. */
  readonly secret?: string | undefined
  /** Mail has them. */
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly security?: (typeof MAIL_SECURITY)[number] | undefined
  readonly user?: string | undefined
  readonly password?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const MAIL_ADDRESS = /^[^\s@<>",;]+@[^\s@<>",;]+$/
const HOST = /^[A-Za-z0-9.:-]{1,253}$/

/** Throws `invalid`. */
export function assertWay({ channel, settings }: Pick<NoticeWay, 'channel' | 'settings'>): void {
  const { url, secret, host, port, security = 'tls', user, password, from, to } = settings
  if (channel === 'mail') {
    if (host === undefined || !HOST.test(host))
      throw invalid('host', 'invalid_host', 'must be the name of the mail server')
    if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536))
      throw invalid('port', 'out_of_range', 'must be a port number', { min: 1, max: 65_535 })
    if (from === undefined || !MAIL_ADDRESS.test(from))
      throw invalid('from', 'invalid_email', 'must be an email address')
    if (to === undefined || !MAIL_ADDRESS.test(to)) throw invalid('to', 'invalid_email', 'must be an email address')
    if ((user === undefined) !== (password === undefined))
      throw invalid('password', 'required', 'user and password go together')
    // A password is never sent in the clear.
    if (user !== undefined && security === 'none') throw invalid('security', 'required', 'a password needs TLS')
    return
  }
  const parsed = url !== undefined && URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw invalid('url', 'invalid_url', 'must be an http(s) URL')
  if (channel === 'webhook' && !isSecret(secret ?? '')) throw invalid('secret', 'required', 'must be a whsec_ secret')
}

/** The receiver, without anything secret: a URL of Slack is a secret itself. */
export function shownTarget({ channel, settings: { url = '', host, to } }: NoticeWay): string {
  if (channel === 'mail') return `${to} (${host})`
  const { origin, pathname } = new URL(url)
  return channel === 'slack' ? origin : origin + pathname
}

export type NoticePhase = 'began' | 'ended'

/** `dropped`: it ended before it was told, or its way is gone. */
export type NoticeMessageState = 'pending' | 'sent' | 'failed' | 'dropped'

/** One message about a notice, on one way. */
export interface NoticeMessage {
  readonly messageId: string
  readonly noticeId: string
  readonly wayId: string
  readonly phase: NoticePhase
  readonly status: NoticeMessageState
  readonly tries: number
  /** Time of the last try, Unix milliseconds. */
  readonly triedAt: number | undefined
  /** Why the last try failed. */
  readonly error: string | undefined
}

const AGAIN_AFTER_MS = [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS]

/** The message after a try, and when the next one is due. `error` is undefined where it was taken. */
export function afterTry(
  message: NoticeMessage,
  error: string | undefined,
  now: number,
): { message: NoticeMessage; againAt: number | undefined } {
  const waitMs = error === undefined ? undefined : AGAIN_AFTER_MS[message.tries]
  const status = error === undefined ? 'sent' : waitMs === undefined ? 'failed' : 'pending'
  return {
    message: { ...message, status, tries: message.tries + 1, triedAt: now, error },
    againAt: waitMs === undefined ? undefined : now + waitMs,
  }
}

export const NOTICES_KEPT_MS = 90 * DAY_MS
export const MOST_WAYS = 20
