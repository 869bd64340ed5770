import { type Command, Option } from 'commander'
import { ROLES, type Role } from '../domain/role'
import { systemPasswords } from '../system/passwords'
import { systemRandom } from '../system/random'
import { invite, operatorNamed, resetPassword, unlock } from '../usecases/people'
import { acceptAudit, verifyAudit } from '../usecases/verify-audit'
import { type CommonOptions, command, onData, onDataCommand, wholeNumber } from './command'
import { lostInWords } from './doctor/audit'
import { adminOf, type Opened } from './open'
import { iso, table } from './output'

const peopleOf = ({ store, vault, clock }: Opened) => ({
  store,
  vault,
  clock,
  random: systemRandom,
  passwords: systemPasswords,
})

export function operatorCommands(): Command {
  const operator = command('operator', 'people who may use the console', 'operator invite --role developer')
  operator.addCommand(
    onDataCommand('list', 'list operators', 'operator list').action((options: CommonOptions) =>
      onData(options, async ({ store }, output) => {
        const operators = (await store.read.people.all()).map(({ operatorId, email, name, role, totpSecret }) => ({
          operatorId,
          email,
          name,
          role,
          hasTotp: totpSecret !== undefined,
        }))
        output(
          { operators },
          table(
            ['OPERATOR', 'EMAIL', 'NAME', 'ROLE', 'SECOND FACTOR'],
            operators.map(({ operatorId, email, name, role, hasTotp }) => [
              operatorId,
              email,
              name,
              role,
              hasTotp ? 'yes' : 'no',
            ]),
            'No operators yet. The set-up link that `watchword serve` prints makes the first one.',
          ),
        )
      }),
    ),
  )
  operator.addCommand(
    onDataCommand(
      'invite',
      'make a link for one more operator; it works once, for three days',
      'operator invite --role developer',
    )
      .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).makeOptionMandatory())
      .action((options: CommonOptions & { role: Role }) =>
        onData(options, async (opened, output) => {
          const { actor } = adminOf(opened)
          const deps = peopleOf(opened)
          const { token, expiresAt } = await invite(deps, actor, { role: options.role })
          const url = `${opened.config.publicUrl ?? ''}/console/invitation#${token}`
          output({ url, role: options.role, expiresAt: iso(expiresAt) }, [
            `Until ${iso(expiresAt)}: ${url}`,
            ...(opened.config.publicUrl === undefined
              ? [
                  'Put in front where the console is opened, such as http://127.0.0.1:8787; WATCHWORD_PUBLIC_URL does it for you.',
                ]
              : []),
          ])
        }),
      ),
  )
  operator.addCommand(
    onDataCommand(
      'reset',
      'give an operator a new password, end their sessions and their second factor',
      'operator reset ann@example.com',
    )
      .argument('<email>', 'whose')
      .action((email: string, options: CommonOptions) =>
        onData(options, async (opened, output) => {
          const reset = await resetPassword(peopleOf(opened), adminOf(opened).actor, email)
          const { operatorId } = reset.operator
          output({ operatorId, email: reset.operator.email, password: reset.password }, [
            `The new password of ${reset.operator.email} is shown only now; change it after signing in:`,
            reset.password,
          ])
        }),
      ),
  )
  operator.addCommand(
    onDataCommand(
      'unlock',
      'lift the pauses after failed sign-ins to an account, also in a running server',
      'operator unlock ann@example.com',
    )
      .argument('<email>', 'whose')
      .action((email: string, options: CommonOptions) =>
        onData(options, async (opened, output) => {
          const { operatorId, email: address } = await operatorNamed(opened, email)
          await unlock(opened, adminOf(opened).actor, { operatorId })
          output({ operatorId, email: address }, [`${address} can sign in again from anywhere.`])
        }),
      ),
  )
  return operator
}

export function auditCommands(): Command {
  const audit = command('audit', 'the log of what operators change', 'audit list --limit 20')
  audit.addCommand(
    onDataCommand('list', 'list changes, newest first', 'audit list --limit 20')
      .option('--limit <n>', 'how many', wholeNumber, 100)
      .action((options: CommonOptions & { limit: number }) =>
        onData(options, async ({ store }, output) => {
          const entries = (await store.lists.audit.page({ limit: Math.min(options.limit, 100_000) })).map((entry) => ({
            ...entry,
            at: iso(entry.at),
            hash: Buffer.from(entry.hash).toString('hex'),
          }))
          output(
            { entries },
            table(
              ['ENTRY', 'AT', 'WHO', 'FROM', 'WHAT', 'OF', 'DETAIL'],
              entries.map(({ seq, at, actor, ip, action, target, detail }) => [
                seq,
                at,
                actor,
                ip,
                action,
                target,
                JSON.stringify(detail),
              ]),
              'Nobody has changed anything yet.',
            ),
          )
        }),
      ),
  )
  audit.addCommand(
    onDataCommand(
      'verify',
      'look whether every entry is as it was written; exits with 1 where one is not',
      'audit verify',
      'audit verify --holds 5f0c…',
    )
      .option('--holds <hash>', 'look also for the entry of a hash that was told before, by a backup for example')
      .action((options: CommonOptions & { holds?: string }) =>
        onData(options, async ({ store, vault }, output) => {
          const verdict = await verifyAudit({ read: store.read, vault, hash: options.holds })
          const { isIntact, entries, head, brokenAt, lost, holdsHash } = verdict
          output(verdict, [
            ...(brokenAt === undefined ? [] : [`Broken at entry ${brokenAt}; ${entries} before it are intact`]),
            ...lost.map(lostInWords),
            ...(holdsHash === false ? [`There is no entry ${options.holds}`] : []),
            ...(isIntact ? [`Intact: ${entries} entries, head ${head}`] : []),
          ])
          if (!isIntact) process.exitCode = 1
        }),
      ),
  )
  audit.addCommand(
    onDataCommand(
      'accept',
      'take the log as it is, once you know why its newest entries are gone; it says so in the log',
      'audit accept',
    ).action((options: CommonOptions) =>
      onData(options, async (opened, output) => {
        const lost = await acceptAudit(adminOf(opened))
        output({ lost }, lost.length > 0 ? lost.map(lostInWords) : ['Nothing was missing.'])
      }),
    ),
  )
  return audit
}
