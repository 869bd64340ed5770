import { Command, Option } from 'commander'
import { ROLES, type Role } from '../domain/role'
import { systemClock } from '../system/clock'
import { systemPasswords } from '../system/passwords'
import { systemRandom } from '../system/random'
import { verifyAudit } from '../usecases/audit'
import { invite, resetPassword } from '../usecases/operators'
import { type CommonOptions, onData, onDataCommand, wholeNumber } from './command'
import { adminOf, type Opened } from './open'
import { iso } from './output'

const peopleOf = ({ store, vault }: Opened) => ({
  store,
  vault,
  clock: systemClock,
  random: systemRandom,
  passwords: systemPasswords,
})

export function operatorCommands(): Command {
  const operator = new Command('operator').description('people who may use the console')
  operator.addCommand(
    onDataCommand('list', 'list operators').action((options: CommonOptions) =>
      onData(options, async ({ store }, output) => {
        const operators = (await store.read.operators()).map(({ operatorId, email, name, role, totpSecret }) => ({
          operatorId,
          email,
          name,
          role,
          hasTotp: totpSecret !== undefined,
        }))
        output(
          { operators },
          operators.map((row) => `${row.operatorId}  ${row.email}  ${row.name}  ${row.role}`),
        )
      }),
    ),
  )
  operator.addCommand(
    onDataCommand('invite', 'make a link for one more operator; it works once, for three days')
      .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).makeOptionMandatory())
      .action((options: CommonOptions & { role: Role }) =>
        onData(options, async (opened, output) => {
          const { actor } = adminOf(opened)
          const deps = peopleOf(opened)
          const { token, expiresAt } = await invite(deps, actor, { role: options.role, invitedBy: actor.name })
          const url = `${opened.config.publicUrl ?? ''}/console/invitation#${token}`
          output({ url, role: options.role, expiresAt: iso(expiresAt) }, [`Until ${iso(expiresAt)}: ${url}`])
        }),
      ),
  )
  operator.addCommand(
    onDataCommand('reset', 'give an operator a new password, end their sessions and their second factor')
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
  return operator
}

export function auditCommands(): Command {
  const audit = new Command('audit').description('the log of what operators change')
  audit.addCommand(
    onDataCommand('list', 'list changes, newest first')
      .option('--limit <n>', 'how many', wholeNumber, 100)
      .action((options: CommonOptions & { limit: number }) =>
        onData(options, async ({ store }, output) => {
          const entries = (await store.read.audit({ limit: Math.min(options.limit, 100_000) })).map((entry) => ({
            ...entry,
            at: iso(entry.at),
            hash: Buffer.from(entry.hash).toString('hex'),
          }))
          output(
            { entries },
            entries.map(
              ({ seq, at, actor, ip, action, target, detail }) =>
                `${seq}  ${at}  ${actor}${ip ? ` from ${ip}` : ''}  ${action}  ${target}  ${JSON.stringify(detail)}`,
            ),
          )
        }),
      ),
  )
  audit.addCommand(
    onDataCommand('verify', 'look whether every entry is as it was written; exits with 1 where one is not').action(
      (options: CommonOptions) =>
        onData(options, async ({ store, vault }, output) => {
          const verdict = await verifyAudit({ read: store.read, vault })
          output(verdict, [
            verdict.isIntact
              ? `Intact: ${verdict.entries} entries, head ${verdict.head}`
              : `Broken at entry ${verdict.brokenAt}; ${verdict.entries} before it are intact`,
          ])
          if (!verdict.isIntact) process.exitCode = 1
        }),
    ),
  )
  return audit
}
