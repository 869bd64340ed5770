/** Wallet balance and credit ledger. Specification: `GET /balance`, `GET /credit-ledger`. */
import { z } from 'zod'
import { listQuery, nextCursor } from './page'
import { currency, issueId, mode, timestamp } from './value'

export const balanceOutput = z.object({
  appId: z.string().meta({ description: 'The app that owns the wallet.' }),
  balance: z.number().meta({ description: 'Credit quantity, not money.', examples: [100] }),
  currency,
  updatedAt: timestamp,
  mode,
  walletId: z.string().meta({ description: 'Identifier of the wallet.' }),
  walletScope: z.enum(['app', 'test']).meta({
    description: 'Whose wallet it is: that of the `app`, or in test mode the simulated one.',
    examples: ['app'],
  }),
  organizationId: z.string().meta({ description: 'The organization that owns the app.' }),
  promoBalance: z.number().optional().meta({ description: 'Test mode only.' }),
  promoNextExpiry: timestamp.nullable().optional().meta({ description: 'Test mode only.' }),
})

export const entryType = z.enum(['clawback', 'credit', 'debit', 'refund']).meta({
  description: '`credit` top-up, `debit` per issue, `refund`, `clawback`.',
  examples: ['debit'],
})

export const ledgerEntry = z.object({
  ledgerId: z.uuid().meta({
    description: 'Identifier of the entry.',
    examples: ['019bc0fd-89c0-8000-8000-0007541e3536'],
  }),
  appId: z.string().meta({ description: 'The app that owns the wallet.' }),
  entryType,
  amountDelta: z.number().meta({ description: 'Signed credits; debits are negative.', examples: [-1] }),
  balanceAfter: z.number().meta({ description: 'Wallet balance after the entry.', examples: [99] }),
  currency,
  issueId: issueId.optional().meta({ description: 'Present only on issue-linked entries.' }),
  createdAt: timestamp,
})

export const listCreditLedgerInput = listQuery({ entryType: entryType.optional() })

export const listCreditLedgerOutput = z.object({
  items: z.array(ledgerEntry).meta({ description: 'Newest first; ties by id. Always empty in test mode.' }),
  nextCursor: nextCursor.optional(),
})
