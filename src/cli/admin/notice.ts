/** `watchword notice`: what the operator must know, and where it is told. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { timeOfDay } from '../../domain/operations/backup-schedule'
import {
  MAIL_SECURITY,
  NOTICE_CHANNELS,
  type NoticeWay,
  type QuietHours,
  shownTarget,
  textOf,
} from '../../domain/operations/notice'
import { invalid } from '../../domain/shared/error'
import { clockText } from '../../domain/shared/time-zone'
import { MINUTE_MS } from '../../domain/shared/value'
import { createMailer } from '../../system/mailer'
import { createTransport } from '../../system/transport'
import * as administer from '../../usecases/administer'
import { Failure, iso, table } from '../output'
import { adminCommand, flag, group, NO_INPUT, number, text } from './build'

const WAY_ARGUMENT = z.object({ wayId: z.string().describe('<way>  its id') })
const LISTED = 100

export const noticeCommands = () =>
  group('notice', 'notices to the operator, and the ways on which they are told', 'add chat --by slack', {
    list: adminCommand({
      summary: 'list the open notices',
      examples: ['', '--all'],
      input: z.object({ all: flag(`the newest ${LISTED}, open or ended`) }),
      run: async (admin, { all }) => ({
        notices: (await administer.listNotices(admin, all ? { limit: LISTED } : 'open')).map(shownNotice),
      }),
      lines: ({ notices }) =>
        table(
          ['KIND', 'SINCE', 'ENDED', 'WHAT', 'TOLD'],
          notices.map(({ kind, since, endedAt, says, told }) => [
            ...[kind, since, endedAt ?? '', says],
            told.map(({ way, phase, status }) => `${way} ${phase}: ${status}`).join(', '),
          ]),
          'No notices.',
        ),
    }),
    add: adminCommand({
      summary: 'tell notices on one more way: a signed webhook, mail by SMTP, or a webhook of Slack',
      examples: [
        'pager --by webhook --url https://pager.example/watchword',
        'duty --by mail --host smtp.example --user watchword --password-file smtp.secret --from watchword@shop.example --to duty@shop.example',
        'chat --by slack --url-file slack.url',
      ],
      input: z.object({
        name: z.string().describe('<name>  its name, such as duty'),
        by: z
          .enum(NOTICE_CHANNELS)
          .describe('webhook: signed as webhooks are; mail: by SMTP; slack: a webhook of Slack'),
        url: text('--url <url>  of webhook and Slack: where it is sent'),
        urlFile: text('--url-file <file>  file with the URL, which is a secret with Slack; - reads standard input'),
        host: text('--host <name>  of mail: the mail server'),
        port: number('--port <n>  of mail (default: 465 with tls, 587 with starttls, 25 with none)'),
        security: z.enum(MAIL_SECURITY).optional().describe('--security <how>  of mail (default: tls)'),
        user: text('--user <name>  of mail: the account'),
        passwordFile: text('--password-file <file>  of mail: file with the password; - reads standard input'),
        from: text('--from <address>  of mail: the sender'),
        to: text('--to <address>  of mail: the receiver'),
      }),
      run: async (admin, { name, by: channel, urlFile, passwordFile, ...settings }) => {
        const { way, newSecret } = await administer.addNoticeWay(admin, {
          ...{ name, channel },
          settings: {
            ...settings,
            ...(urlFile !== undefined && { url: read(urlFile) }),
            ...(passwordFile !== undefined && { password: read(passwordFile) }),
          },
        })
        return { ...shownWay(way), ...(newSecret !== undefined && { secret: newSecret }) }
      },
      lines: ({ wayId, target, secret }) => [
        `Notices are told at ${target}, too. Try it: \`watchword notice test ${wayId}\``,
        ...(secret === undefined ? [] : [`The secret of its signatures, which is shown only now: ${secret}`]),
      ],
    }),
    ways: adminCommand({
      summary: 'list the ways on which notices are told, without their secrets, and the quiet hours',
      ...NO_INPUT,
      run: async ({ store: { read } }) => ({
        ways: (await read.notices.ways()).map(shownWay),
        quietHours: shownQuiet(await read.notices.quietHours()),
      }),
      lines: ({ ways, quietHours }) => [
        ...table(
          ['WAY', 'NAME', 'CHANNEL', 'TO'],
          ways.map(({ wayId, name, channel, target }) => [wayId, name, channel, target]),
          'Notices are shown in the console only. `watchword notice add` adds a way.',
        ),
        quietLine(quietHours),
      ],
    }),
    test: adminCommand({
      summary: 'send one message on a way',
      examples: ['way_4k2m9x0c7q1z'],
      input: WAY_ARGUMENT,
      run: async (admin, { wayId }) => {
        const { publicUrl } = admin.config
        const sender = { toOperator: createTransport(), mailer: createMailer(), publicUrl }
        const error = await administer.testNoticeWay({ ...admin, ...sender }, wayId)
        if (error !== undefined) throw new Failure('not_taken', `The receiver did not take it: ${error}`)
        return { wayId, taken: true }
      },
      lines: () => ['The receiver took it.'],
    }),
    remove: adminCommand({
      summary: 'remove a way; nothing more is told there',
      examples: ['way_4k2m9x0c7q1z --yes'],
      input: WAY_ARGUMENT,
      confirmation: (_, { wayId }) => `Remove the way ${wayId}? Nobody is told of notices there any more.`,
      run: async (admin, { wayId }) => {
        await administer.removeNoticeWay(admin, wayId)
        return { wayId, removed: true }
      },
      lines: ({ wayId }) => [`Removed way ${wayId}`],
    }),
    quiet: adminCommand({
      summary: 'show or set the quiet hours, whose notices are told when they end',
      examples: ['', '--from 22:00 --to 08:00 --zone Asia/Seoul --urgent', '--none'],
      input: z.object({
        from: text('--from <time>  when they begin'),
        to: text('--to <time>  when they end'),
        zone: text('--zone <name>  the time zone (default: UTC)'),
        urgent: flag('attacks and carriers that are down are told in them, too'),
        none: flag('no quiet hours'),
      }),
      conflicts: { none: ['from', 'to', 'zone', 'urgent'] },
      run: async (admin, { from, to, zone = 'UTC', urgent = false, none }) => {
        if (none) await administer.setQuietHours(admin, undefined)
        else if (from !== undefined || to !== undefined)
          await administer.setQuietHours(admin, {
            ...{ from: minuteOf('from', from), to: minuteOf('to', to), timeZone: zone, urgentPass: urgent },
          })
        return { quietHours: shownQuiet(await admin.store.read.notices.quietHours()) }
      },
      lines: ({ quietHours }) => [quietLine(quietHours)],
    }),
  })

const read = (file: string) => readFileSync(file === '-' ? 0 : file, 'utf8').trim()

const shownNotice = ({ noticeId, messages, since, endedAt, goneAt: _, ...condition }: administer.ToldNotice) => {
  const { title, says, advice } = textOf(condition)
  const told = messages.map(({ wayId: way, phase, status, error }) => ({ way, phase, status, ...(error && { error }) }))
  return { noticeId, ...condition, title, says, advice, since: iso(since), endedAt: iso(endedAt), told }
}

const shownWay = (way: NoticeWay) => {
  const { wayId, name, channel, createdAt } = way
  return { wayId, name, channel, target: shownTarget(way), createdAt: iso(createdAt) }
}

function minuteOf(param: string, text: string | undefined): number {
  const at = timeOfDay(text ?? '')
  if (at === undefined) throw invalid(param, 'required', 'must be a time such as 22:00')
  return at / MINUTE_MS
}

const shownQuiet = (quiet: QuietHours | undefined) =>
  quiet ? { ...quiet, from: clockText(quiet.from), to: clockText(quiet.to) } : null

const quietLine = (quiet: ReturnType<typeof shownQuiet>) =>
  quiet
    ? `Quiet from ${quiet.from} to ${quiet.to} in ${quiet.timeZone}${quiet.urgentPass ? ', but not for urgent notices' : ''}.`
    : 'No quiet hours.'
