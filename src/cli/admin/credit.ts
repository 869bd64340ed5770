import { wallet } from '../../console/contract/money'
import * as administer from '../../usecases/administer'
import { adminCommand, group, inputOf, ofApp } from './build'
import { refundCommand } from './refund'

export const creditCommands = () =>
  group('credit', 'wallets', 'add --app app_4k2m9x0c7q1z --amount 1000', {
    add: adminCommand({
      summary: 'top up the wallet of an app',
      examples: ['--app app_4k2m9x0c7q1z --amount 1000 --reference invoice-17'],
      input: inputOf(wallet.topUp),
      help: {
        appId: ofApp,
        amount: 'credits',
        reference: '--reference <text>  yours, for example of the payment; the same one again adds nothing',
      },
      run: (admin, { reference, ...topUp }) =>
        administer.addCredit(admin, { ...topUp, ...(reference && { reference }) }),
      json: ({ wallet: { balance } }, { appId }) => ({ appId, balance }),
      lines: ({ wallet: { balance } }, { appId }) => [`Balance of ${appId}: ${balance} CREDIT`],
    }),
    refund: refundCommand,
    clawback: adminCommand({
      summary: 'take credit back from the wallet of an app, once for each reference',
      examples: ['--app app_4k2m9x0c7q1z --amount 100 --reference chargeback-3'],
      input: inputOf(wallet.clawback).required(),
      help: {
        appId: ofApp,
        amount: 'credits',
        reference: '--reference <text>  yours, for example of the payment that failed',
      },
      run: async (admin, input) => {
        const { wallet, entry } = await administer.clawBackCredit(admin, input)
        return { appId: input.appId, amount: -entry.amountDelta, balance: wallet.balance }
      },
      lines: ({ appId, amount, balance }) => [`Took back ${amount} CREDIT. Balance of ${appId}: ${balance} CREDIT`],
    }),
    overdraft: adminCommand({
      summary: 'let the available credit of an app go below zero',
      examples: ['--app app_4k2m9x0c7q1z --limit 50'],
      input: inputOf(wallet.setOverdraft),
      help: { appId: ofApp, limit: 'credits below zero; 0 switches it off' },
      run: administer.setOverdraft,
      json: ({ appId, overdraftLimit }) => ({ appId, overdraftLimit }),
      lines: ({ appId, overdraftLimit }) => [`Overdraft limit of ${appId}: ${overdraftLimit} CREDIT`],
    }),
  })
