/** The wallet of an app and its ledger. */
import { z } from 'zod'
import { act, at, ofApp, ok, pageInput, pageOf } from './base'

const entryType = z.enum(['credit', 'debit', 'refund', 'clawback'])
const amount = z.int().describe('Whole credits, from 1 to 1,000,000,000.')
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
  show: act('GET /apps/{appId}/wallet', 'Show the balance of an app.', 'look')
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
  ledger: act('GET /apps/{appId}/wallet/ledger', 'List ledger entries, newest first.', 'look')
    .input(
      ofApp.extend({ ...pageInput.shape, entryType: entryType.optional(), from: at.optional(), to: at.optional() }),
    )
    .output(pageOf(entry)),
  topUp: act('POST /apps/{appId}/wallet/top-ups', 'Add credit.', 'money')
    .input(ofApp.extend({ amount, reference }))
    .output(entry),
  refund: act('POST /apps/{appId}/wallet/refunds', 'Refund an issue, once.', 'money')
    .input(ofApp.extend({ issueId: z.string() }))
    .output(entry),
  clawback: act('POST /apps/{appId}/wallet/clawbacks', 'Take credit back.', 'money')
    .input(ofApp.extend({ amount, reference }))
    .output(entry),
  setOverdraft: act('PUT /apps/{appId}/wallet/overdraft', 'Set how far the balance may fall below zero.', 'money')
    .input(ofApp.extend({ limit: z.int().min(0) }))
    .output(ok),
  setAlert: act('PUT /apps/{appId}/wallet/alert', 'Set below which available credit operators are told.', 'money')
    .input(ofApp.extend({ below: z.int().min(0).optional() }))
    .output(ok),
}
