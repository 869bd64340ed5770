import { tokens } from '../../admin/contract/tokens'
import { ADMIN_PREFIX } from '../../http/route-table'
import * as administer from '../../usecases/administer'
import { creatorInWords, iso, table } from '../output'
import { adminCommand, group, inputOf, NO_INPUT } from './build'

export const tokenCommands = () =>
  group('token', 'tokens of the management API, for machines', 'create deploy --scopes carriers:write', {
    create: adminCommand({
      summary: 'create a token and show it once; the management API is on while there is one',
      examples: ['deploy --scopes apps:write carriers:write', 'watch --scopes carriers:read --networks 10.0.0.0/8'],
      input: inputOf(tokens.create),
      help: {
        name: '<name>  who uses it, such as deploy; the audit log names it',
        scopes: '--scopes <scope...>  a noun and read or write, such as carriers:write',
        appIds: '--apps <id...>  the only apps it sees (default: all)',
        allowedCidrs: '--networks <cidr...>  from where it is taken (default: from anywhere)',
        expiresAt: '--expires <time>  when it ends (default: never)',
      },
      run: async (admin, wanted) => withTimes(await administer.createAdminToken(admin, wanted)),
      lines: ({ tokenId, token }) => [
        `Token ${tokenId}, which is shown only now: ${token}`,
        `It opens ${ADMIN_PREFIX} with \`Authorization: Bearer\`.`,
      ],
    }),
    list: adminCommand({
      summary: 'list the tokens, without their secrets',
      ...NO_INPUT,
      run: async (admin) => ({ tokens: (await administer.listAdminTokens(admin)).map(withTimes) }),
      lines: ({ tokens }) =>
        table(
          ['TOKEN', 'NAME', 'SCOPES', 'APPS', 'NETWORKS', 'EXPIRES', 'CREATED BY'],
          tokens.map(({ tokenId, name, scopes, appIds, allowedCidrs, expiresAt, createdBy }) => [
            ...[tokenId, name, scopes.join(' '), appIds?.join(' ') ?? 'all', allowedCidrs.join(' ') || 'any'],
            ...[expiresAt, creatorInWords(createdBy)],
          ]),
          'No tokens. `watchword token create` makes one; until then the management API is off.',
        ),
    }),
    revoke: adminCommand({
      summary: 'revoke a token at once',
      examples: ['adm_4k2m9x0c7q1z --yes'],
      input: inputOf(tokens.revoke),
      help: { tokenId: '<token>  its id' },
      confirmation: (_, { tokenId }) => `Revoke the token ${tokenId}? Machines that use it are refused.`,
      run: async (admin, { tokenId }) => {
        await administer.revokeAdminToken(admin, tokenId)
        return { tokenId, revoked: true }
      },
      lines: ({ tokenId }) => [`Revoked token ${tokenId}`],
    }),
  })

const withTimes = <Token extends administer.ShownAdminToken>({ createdAt, expiresAt, ...token }: Token) => ({
  ...token,
  expiresAt: iso(expiresAt),
  createdAt: iso(createdAt),
})
