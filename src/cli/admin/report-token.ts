import { z } from 'zod'
import { USAGE_REPORT_PATH } from '../../domain/operations/usage-report'
import * as administer from '../../usecases/administer'
import { creatorInWords, iso, table } from '../output'
import { adminCommand, group, NO_INPUT } from './build'

export const reportTokenCommands = () =>
  group('report-token', "tokens with which finance's tools read usage, and nothing else", 'create ERP', {
    create: adminCommand({
      summary: 'create a token and show it once; it reads the usage of all apps',
      examples: ['ERP'],
      input: z.object({ name: z.string().describe('<name>  who uses it, such as ERP') }),
      run: async (admin, wanted) => withTime(await administer.createReportToken(admin, wanted)),
      lines: ({ tokenId, token }) => [
        `Report token ${tokenId}, which is shown only now: ${token}`,
        `It reads GET ${USAGE_REPORT_PATH} with \`Authorization: Bearer\`.`,
      ],
    }),
    list: adminCommand({
      summary: 'list the tokens, without their secrets',
      ...NO_INPUT,
      run: async (admin) => ({ tokens: (await administer.listReportTokens(admin)).map(withTime) }),
      lines: ({ tokens }) =>
        table(
          ['TOKEN', 'NAME', 'CREATED BY', 'CREATED'],
          tokens.map(({ tokenId, name, createdBy, createdAt }) => [
            tokenId,
            name,
            creatorInWords(createdBy),
            createdAt,
          ]),
          'No report tokens. `watchword report-token create` makes one.',
        ),
    }),
    revoke: adminCommand({
      summary: 'revoke a token at once',
      examples: ['rpt_4k2m9x0c7q1z --yes'],
      input: z.object({ tokenId: z.string().describe('<token>  its id') }),
      confirmation: (_, { tokenId }) => `Revoke the report token ${tokenId}? Tools that use it are refused.`,
      run: async (admin, { tokenId }) => {
        await administer.revokeAdminToken(admin, tokenId)
        return { tokenId, revoked: true }
      },
      lines: ({ tokenId }) => [`Revoked report token ${tokenId}`],
    }),
  })

const withTime = <Token extends { createdAt: number }>({ createdAt, ...token }: Token) => ({
  ...token,
  createdAt: iso(createdAt),
})
