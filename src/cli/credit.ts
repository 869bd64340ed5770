import { Command } from 'commander'
import * as administer from '../usecases/administer'
import { type CommonOptions, onData, onDataCommand, wholeNumber } from './command'
import { adminOf } from './open'

export function creditCommands(): Command {
  const credit = new Command('credit').description('wallets')
  credit.addCommand(
    onDataCommand('add', 'top up the wallet of an app')
      .requiredOption('--app <id>', 'app')
      .requiredOption('--amount <n>', 'credits', wholeNumber)
      .action((options: CommonOptions & { app: string; amount: number }) =>
        onData(options, async (opened, output) => {
          const { appId, balance } = await administer.addCredit(adminOf(opened), {
            appId: options.app,
            amount: options.amount,
          })
          output({ appId, balance }, [`Balance of ${appId}: ${balance} CREDIT`])
        }),
      ),
  )
  credit.addCommand(
    onDataCommand('overdraft', 'let the available credit of an app go below zero')
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
