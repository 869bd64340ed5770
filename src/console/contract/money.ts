/** The wallet of an app and its ledger. */
import { z } from 'zod'
import { at, ofApp, ok, pageInput, pageOf, procedure } from './base'

const entryType = z.enum(['credit', 'debit', 'refund', 'clawback'])
const amount = z.int().min(1).max(1_000_000_000)
/** Idempotent: creates the entry once. */
const reference = z.string().optional()

const entry = z.object({
  seq: z.int(),
  entryType,
  amountDelta: z.int(),
  balanceAfter: z.int(),
  issueId: z.string().optional(),
  reference: z.string().optional(),
  createdAt: at,
})

export const wallet = {
  show: procedure('look')
    .input(ofApp)
    .output(
      z.object({
        balance: z.int(),
        reserved: z.int(),
        available: z.int(),
        overdraftLimit: z.int(),
        /** Below this available credit the console warns; missing: never. */
        alertBelow: z.int().optional(),
        currency: z.string(),
      }),
    ),
  ledger: procedure('look')
    .input(
      ofApp.extend({ ...pageInput.shape, entryType: entryType.optional(), from: at.optional(), to: at.optional() }),
    )
    .output(pageOf(entry)),
  topUp: procedure('money').input(ofApp.extend({ amount, reference })).output(entry),
  refund: procedure('money')
    .input(ofApp.extend({ issueId: z.string() }))
    .output(entry),
  clawback: procedure('money').input(ofApp.extend({ amount, reference })).output(entry),
  setOverdraft: procedure('money')
    .input(ofApp.extend({ limit: z.int().min(0) }))
    .output(ok),
  setAlert: procedure('money')
    .input(ofApp.extend({ below: z.int().min(0).optional() }))
    .output(ok),
}
