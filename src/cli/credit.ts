import type { Command } from 'commander'
import * as administer from '../usecases/administer'
import { type CommonOptions, command, onData, onDataCommand, wholeNumber } from './command'
import { adminOf } from './open'
import { refundCommand } from './refund'

export function creditCommands(): Command {
  const credit = command('credit', 'wallets', 'credit add --app app_4k2m9x0c7q1z --amount 1000')
  credit.addCommand(
    onDataCommand(
      'add',
      'top up the wallet of an app',
      'credit add --app app_4k2m9x0c7q1z --amount 1000 --reference invoice-17',
    )
      .requiredOption('--app <id>', 'app')
      .requiredOption('--amount <n>', 'credits', wholeNumber)
      .option('--reference <text>', 'yours, for example of the payment; the same one again adds nothing')
      .action((options: CommonOptions & { app: string; amount: number; reference?: string }) =>
        onData(options, async (opened, output) => {
          const { app: appId, amount, reference } = options
          const { wallet } = await administer.addCredit(adminOf(opened), {
            appId,
            amount,
            ...(reference && { reference }),
          })
          output({ appId, balance: wallet.balance }, [`Balance of ${appId}: ${wallet.balance} CREDIT`])
        }),
      ),
  )
  credit.addCommand(refundCommand())
  credit.addCommand(
    onDataCommand(
      'clawback',
      'take credit back from the wallet of an app, once for each reference',
      'credit clawback --app app_4k2m9x0c7q1z --amount 100 --reference chargeback-3',
    )
      .requiredOption('--app <id>', 'app')
      .requiredOption('--amount <n>', 'credits', wholeNumber)
      .requiredOption('--reference <text>', 'yours, for example of the payment that failed')
      .action((options: CommonOptions & { app: string; amount: number; reference: string }) =>
        onData(options, async (opened, output) => {
          const { app: appId, amount, reference } = options
          const { wallet, entry } = await administer.clawBackCredit(adminOf(opened), { appId, amount, reference })
          output({ appId, amount: -entry.amountDelta, balance: wallet.balance }, [
            `Took back ${-entry.amountDelta} CREDIT. Balance of ${appId}: ${wallet.balance} CREDIT`,
          ])
        }),
      ),
  )
  credit.addCommand(
    onDataCommand(
      'overdraft',
      'let the available credit of an app go below zero',
      'credit overdraft --app app_4k2m9x0c7q1z --limit 50',
    )
      .requiredOption('--app <id>', 'app')
      .requiredOption('--limit <n>', 'credits below zero; 0 switches it off', wholeNumber)
      .action((options: CommonOptions & { app: string; limit: number }) =>
        onData(options, async (opened, output) => {
          const { appId, overdraftLimit } = await administer.setOverdraft(adminOf(opened), {
            appId: options.app,
            limit: options.limit,
          })
          output({ appId, overdraftLimit }, [`Overdraft limit of ${appId}: ${overdraftLimit} CREDIT`])
        }),
      ),
  )
  return credit
}
