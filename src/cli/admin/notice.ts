/** `watchword notice`: what the operator must know, and where it is told. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { MAIL_SECURITY, NOTICE_CHANNELS, textOf } from '../../domain/operations/notice'
import { createMailer } from '../../system/mailer'
import { createTransport } from '../../system/transport'
import * as administer from '../../usecases/administer'
import { Failure, iso, table } from '../output'
import { adminCommand, clientCommand, flag, group, NO_INPUT, number, text } from './build'

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
    add: clientCommand({
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
      run: async (client, { name, by: channel, urlFile, passwordFile, ...settings }) => {
        const { secret, ...way } = await client.notices.addWay({
          ...{ name, channel, ...settings },
          ...(urlFile !== undefined && { url: read(urlFile) }),
          ...(passwordFile !== undefined && { password: read(passwordFile) }),
        })
        return { ...shownWay(way), ...(secret !== undefined && { secret }) }
      },
      lines: ({ wayId, target, secret }) => [
        `Notices are told at ${target}, too. Try it: \`watchword notice test ${wayId}\``,
        ...(secret === undefined ? [] : [`The secret of its signatures, which is shown only now: ${secret}`]),
      ],
    }),
    ways: clientCommand({
      summary: 'list the ways on which notices are told, without their secrets',
      ...NO_INPUT,
      run: async (client) => ({ ways: (await client.notices.ways()).ways.map(shownWay) }),
      lines: ({ ways }) =>
        table(
          ['WAY', 'NAME', 'CHANNEL', 'TO'],
          ways.map(({ wayId, name, channel, target }) => [wayId, name, channel, target]),
          'Notices are shown in the console only. `watchword notice add` adds a way.',
        ),
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
    remove: clientCommand({
      summary: 'remove a way; nothing more is told there',
      examples: ['way_4k2m9x0c7q1z --yes'],
      input: WAY_ARGUMENT,
      confirmation: (_, { wayId }) => `Remove the way ${wayId}? Nobody is told of notices there any more.`,
      run: async (client, { wayId }) => {
        await client.notices.removeWay({ wayId })
        return { wayId, removed: true }
      },
      lines: ({ wayId }) => [`Removed way ${wayId}`],
    }),
  })

const read = (file: string) => readFileSync(file === '-' ? 0 : file, 'utf8').trim()

const shownNotice = ({ noticeId, messages, since, endedAt, goneAt: _, ...condition }: administer.ToldNotice) => {
  const { title, says, advice } = textOf(condition)
  const told = messages.map(({ wayId: way, phase, status, error }) => ({ way, phase, status, ...(error && { error }) }))
  return { noticeId, ...condition, title, says, advice, since: iso(since), endedAt: iso(endedAt), told }
}

const shownWay = <Way extends { createdAt: number }>({ createdAt, ...way }: Way) => ({
  ...way,
  createdAt: iso(createdAt),
})
