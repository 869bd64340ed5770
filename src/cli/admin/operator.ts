import { z } from 'zod'
import { operators } from '../../admin/contract/operators'
import { systemPasswords } from '../../system/passwords'
import { changeRights, invite, operatorNamed, resetPassword, unlock } from '../../usecases/people'
import { acceptAudit, verifyAudit } from '../../usecases/verify-audit'
import { lostInWords } from '../doctor/audit'
import { iso, table } from '../output'
import { type Admin, adminCommand, group, inputOf, NO_INPUT, text, textsOrNone } from './build'

const peopleOf = (admin: Admin) => ({ ...admin, passwords: systemPasswords })

const ofOperator = z.object({ email: z.string().describe('<email>  e-mail address of the operator') })

export const operatorCommands = () =>
  group('operator', 'people who may use the console', 'invite --role developer', {
    list: adminCommand({
      summary: 'list operators',
      ...NO_INPUT,
      run: async ({ store }) => ({
        operators: (await store.read.people.all()).map(({ operatorId, email, name, role, appIds, totpSecret }) => ({
          ...{ operatorId, email, name, role, appIds, hasTotp: totpSecret !== undefined },
        })),
      }),
      lines: ({ operators }) =>
        table(
          ['OPERATOR', 'EMAIL', 'NAME', 'ROLE', 'APPS', 'SECOND FACTOR'],
          operators.map(({ operatorId, email, name, role, appIds, hasTotp }) => [
            ...[operatorId, email, name, role, appIds?.join(' ') ?? 'all', hasTotp ? 'yes' : 'no'],
          ]),
          'No operators yet. The set-up link that `watchword serve` prints creates the first one.',
        ),
    }),
    invite: adminCommand({
      summary: 'create an invitation link for an operator; it works once, for three days',
      examples: ['--role developer', '--role support --apps app_4k2m9x0c7q1z --note ann@example.com'],
      input: inputOf(operators.invite),
      help: {
        role: 'role of the operator',
        appIds: '--apps <id...>  the only apps they see (default: all)',
        note: '--note <text>  for whom it is, as the list of invitations shows it',
      },
      run: async (admin, { role, appIds, note }) => {
        const { token, expiresAt } = await invite(peopleOf(admin), admin.actor, { role, appIds, note })
        const url = `${admin.config.publicUrl ?? ''}/console/invitation#${token}`
        return { url, role, appIds, expiresAt: iso(expiresAt) }
      },
      lines: ({ url, expiresAt }, _, { config }) => [
        `Until ${expiresAt}: ${url}`,
        ...(config.publicUrl === undefined
          ? [
              'Put in front where the console is opened, such as http://127.0.0.1:8787; WATCHWORD_PUBLIC_URL does it for you.',
            ]
          : []),
      ],
    }),
    set: adminCommand({
      summary: 'change the role or the apps of an operator; their sessions go on with the new rights',
      examples: ['ann@example.com --role support', 'ann@example.com --apps app_4k2m9x0c7q1z', 'ann@example.com --apps'],
      input: inputOf(operators.changeRole)
        .pick({ role: true })
        .partial()
        .extend({
          ...ofOperator.shape,
          appIds: textsOrNone('--apps [id...]  the only apps they see; without ids all'),
        }),
      help: { email: ofOperator.shape.email.description, role: 'their new role' },
      run: async (admin, typed) => {
        const known = await operatorNamed(admin, typed.email)
        const { operatorId, email } = known
        const { role = known.role, appIds = known.appIds } = typed
        const rights = { role, appIds: appIds === true ? undefined : appIds }
        await changeRights(admin, admin.actor, operatorId, rights)
        return { operatorId, email, ...rights }
      },
      lines: ({ email, role, appIds }) => [`${email} is ${role} of ${appIds?.join(' ') ?? 'all apps'}.`],
    }),
    reset: adminCommand({
      summary: 'give an operator a new password, end their sessions and their second factor',
      examples: ['ann@example.com'],
      input: ofOperator,
      run: async (admin, { email }) => {
        const { operator, password } = await resetPassword(peopleOf(admin), admin.actor, email)
        return { operatorId: operator.operatorId, email: operator.email, password }
      },
      lines: ({ email, password }) => [
        `The new password of ${email} is shown only now; change it after signing in:`,
        password,
      ],
    }),
    unlock: adminCommand({
      summary: 'lift the sign-in lockout of an account, also in a running server',
      examples: ['ann@example.com'],
      input: ofOperator,
      run: async (admin, typed) => {
        const { operatorId, email } = await operatorNamed(admin, typed.email)
        await unlock(admin, admin.actor, { operatorId })
        return { operatorId, email }
      },
      lines: ({ email }) => [`${email} can sign in again from anywhere.`],
    }),
  })

export const auditCommands = () =>
  group('audit', 'the log of what operators change', 'list --limit 20', {
    list: adminCommand({
      summary: 'list changes, newest first',
      examples: ['--limit 20'],
      input: z.object({ limit: z.int().default(100).describe('how many') }),
      run: async ({ store }, { limit }) => ({
        entries: (await store.lists.audit.page({ limit: Math.min(limit, 100_000) })).map((entry) => ({
          ...{ ...entry, at: iso(entry.at), hash: Buffer.from(entry.hash).toString('hex') },
        })),
      }),
      lines: ({ entries }) =>
        table(
          ['ENTRY', 'AT', 'WHO', 'FROM', 'WHAT', 'OF', 'DETAIL'],
          entries.map(({ seq, at, actor, ip, action, target, detail }) => [
            ...[seq, at, actor, ip, action, target, JSON.stringify(detail)],
          ]),
          'Nobody has changed anything yet.',
        ),
    }),
    verify: adminCommand({
      summary: 'verify the hash chain of all entries; exits with 1 if it is broken',
      examples: ['', '--holds 5f0c…'],
      input: z.object({
        hash: text('--holds <hash>  also require an entry with this hash, for example from a backup'),
      }),
      run: async ({ store, vault }, { hash }) => {
        const verdict = await verifyAudit({ read: store.read, vault, hash })
        if (!verdict.isIntact) process.exitCode = 1
        return verdict
      },
      lines: ({ isIntact, entries, head, brokenAt, lost, holdsHash }, { hash }) => [
        ...(brokenAt === undefined ? [] : [`Broken at entry ${brokenAt}; ${entries} before it are intact`]),
        ...lost.map(lostInWords),
        ...(holdsHash === false ? [`There is no entry ${hash}`] : []),
        ...(isIntact ? [`Intact: ${entries} entries, head ${head}`] : []),
      ],
    }),
    accept: adminCommand({
      summary: 'accept the log as it is, once you know why its newest entries are missing; the log records it',
      ...NO_INPUT,
      run: async (admin) => ({ lost: await acceptAudit(admin) }),
      lines: ({ lost }) => (lost.length > 0 ? lost.map(lostInWords) : ['Nothing was missing.']),
    }),
  })
