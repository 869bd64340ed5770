import { type Command, InvalidArgumentError, Option } from 'commander'
import { wallet } from '../../admin/contract/money'
import { DELIVERY_PROBLEMS, type DeliveryProblem } from '../../domain/delivery/delivery'
import { systemRandom } from '../../system/vault'
import * as administer from '../../usecases/administer'
import { type CommonOptions, type Confirmable, confirm, instant, onData, onDataCommand, yesOption } from '../command'
import { adminOf, type Opened } from '../open'
import { iso, type Output } from '../output'
import { clientCommand, group, inputOf, ofApp } from './build'

export const creditCommands = () =>
  group('credit', 'wallets', 'add --app app_4k2m9x0c7q1z --amount 1000', {
    add: clientCommand({
      summary: 'top up the wallet of an app',
      examples: ['--app app_4k2m9x0c7q1z --amount 1000 --reference invoice-17'],
      input: inputOf(wallet.topUp),
      help: {
        appId: ofApp,
        amount: 'credits',
        reference: '--reference <text>  your reference, for example of the payment; a repeated one adds nothing',
      },
      run: async (client, { appId, amount, reference }) => {
        await client.wallet.topUp({ appId, amount, reference: reference || `cli-${systemRandom.bytes(9).toHex()}` })
        return { appId, balance: (await client.wallet.show({ appId })).balance }
      },
      lines: ({ appId, balance }) => [`Balance of ${appId}: ${balance} CREDIT`],
    }),
    refund: refundCommand,
    clawback: clientCommand({
      summary: 'claw back credit from the wallet of an app, once for each reference',
      examples: ['--app app_4k2m9x0c7q1z --amount 100 --reference chargeback-3'],
      input: inputOf(wallet.clawback).required(),
      help: {
        appId: ofApp,
        amount: 'credits',
        reference: '--reference <text>  your reference, for example of the failed payment',
      },
      run: async (client, { appId, amount, reference }) => {
        const { amountDelta } = await client.wallet.clawback({ appId, amount, reference })
        return { appId, amount: -amountDelta, balance: (await client.wallet.show({ appId })).balance }
      },
      lines: ({ appId, amount, balance }) => [`Clawed back ${amount} CREDIT. Balance of ${appId}: ${balance} CREDIT`],
    }),
    overdraft: clientCommand({
      summary: 'let the available credit of an app go below zero',
      examples: ['--app app_4k2m9x0c7q1z --limit 50'],
      input: inputOf(wallet.setOverdraft),
      help: { appId: ofApp, limit: 'credits below zero; 0 switches it off' },
      run: async (client, { appId, limit }) => {
        await client.wallet.setOverdraft({ appId, limit })
        return { appId, overdraftLimit: limit }
      },
      lines: ({ appId, overdraftLimit }) => [`Overdraft limit of ${appId}: ${overdraftLimit} CREDIT`],
    }),
  })

interface RefundOptions extends CommonOptions, Confirmable {
  app?: string
  allApps?: boolean
  issue?: string
  from?: number
  to?: number
  outcome?: DeliveryProblem
  carrier?: string
  dryRun?: boolean
}

/** `watchword credit refund` refunds one issue, or all issues of an outage. */
const refundCommand = (): Command =>
  onDataCommand(
    'refund',
    'refund charged issues, each once: one issue, or those of an outage',
    'credit refund --app app_4k2m9x0c7q1z --issue 0199a3c0-…',
    'credit refund --all-apps --outcome ambiguous --from 2027-01-31T12:00:00Z --to 2027-01-31T12:10:00Z --dry-run',
  )
    .option('--app <id>', 'app')
    .option('--all-apps', 'issues of all apps')
    .option('--issue <id>', 'one issue')
    .addOption(
      new Option(
        '--outcome <outcome>',
        'outcome of the messages: unknown, unknown since the server was killed, or failed',
      )
        .choices(DELIVERY_PROBLEMS)
        .conflicts('issue'),
    )
    .addOption(new Option('--from <date>', 'issued since').argParser(instant).conflicts('issue'))
    .addOption(new Option('--to <date>', 'issued before').argParser(instant).conflicts('issue'))
    .addOption(new Option('--carrier <name>', 'the carrier of the last attempt').conflicts('issue'))
    .addOption(new Option('--dry-run', 'only print what would be refunded').conflicts('issue'))
    .addOption(yesOption())
    .action((options: RefundOptions) => {
      const { issue, app } = options
      if (issue === undefined) {
        const incident = incidentOf(options)
        return onData(options, (opened, output) => refundIncident(opened, output, incident, options))
      }
      if (app === undefined) throw new InvalidArgumentError('--issue: needs --app')
      return onData(options, (opened, output) => refundIssue(opened, output, { appId: app, issueId: issue }))
    })

/** There is no default: the app and the reason of a refund are always explicit. */
function incidentOf({ app, allApps, outcome, from, to, carrier }: RefundOptions): administer.DeliveryIncident {
  if ((app === undefined) !== (allApps === true)) throw new InvalidArgumentError('either --app or --all-apps is needed')
  if (outcome === undefined || from === undefined || to === undefined)
    throw new InvalidArgumentError('either --issue is needed, or --outcome, --from and --to')
  return { appId: app, problem: outcome, from, to, carrier }
}

async function refundIssue(opened: Opened, output: Output, which: { appId: string; issueId: string }): Promise<void> {
  const { wallet, entry } = await administer.refundIssue(adminOf(opened), which)
  const { appId, issueId } = which
  output({ appId, issueId, amount: entry.amountDelta, balance: wallet.balance }, [
    `Refunded ${entry.amountDelta} CREDIT for ${issueId}. Balance of ${appId}: ${wallet.balance} CREDIT`,
  ])
}

async function refundIncident(
  opened: Opened,
  output: Output,
  incident: administer.DeliveryIncident,
  options: RefundOptions,
): Promise<void> {
  const admin = adminOf(opened)
  const damage = await administer.assessIncident(admin, incident)
  const { refundedBefore, undecided } = damage
  const found = administer.totalOf(damage.charged)
  const asked = { outcome: incident.problem, from: iso(incident.from), to: iso(incident.to), carrier: incident.carrier }
  const aside = [
    ...(refundedBefore > 0 ? [`${refundedBefore} were refunded before.`] : []),
    ...(undecided > 0
      ? [`${undecided} are not charged yet: their carriers may still report, at most for a day. Ask again then.`]
      : []),
  ]
  const told = { ...asked, refundedBefore, undecided }
  if (options.dryRun || found.issues === 0) {
    const isDone = { ...told, dryRun: options.dryRun === true }
    output({ ...isDone, ...found }, [`${found.issues} issues, ${found.credits} CREDIT, can be refunded.`, ...aside])
    return
  }
  const whose = incident.appId ?? `${new Set(damage.charged.map(({ appId }) => appId)).size} apps`
  await confirm(options, `Refund ${found.credits} CREDIT for ${found.issues} issues of ${whose}? It cannot be undone.`)
  const refunded = await administer.refundIncident(admin, incident, damage)
  output({ ...told, dryRun: false, ...refunded }, [
    `Refunded ${refunded.credits} CREDIT for ${refunded.issues} issues.`,
    ...aside,
  ])
}
