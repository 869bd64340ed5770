import { implement } from '@orpc/server'
import { CURRENCY } from '../../domain/shared/value'
import type { LedgerEntry } from '../../domain/wallet/wallet'
import * as administer from '../../usecases/administer'
import { type AdminContext, type AdminServices, adminOf, OK } from '../context'
import { adminContract } from '../contract'

const entryView = ({ appId: _, ...entry }: LedgerEntry) => entry

export function walletProcedures(deps: AdminServices) {
  const os = implement(adminContract.wallet).$context<AdminContext>()
  const { store, random } = deps
  /** A retried click has the same reference. */
  const referenceOr = (given: string | undefined) => given ?? `console-${Buffer.from(random.bytes(9)).toString('hex')}`
  return os.router({
    show: os.show.handler(async ({ input }) => {
      await administer.existingApp(deps, input.appId)
      const wallet = await store.read.wallets.find(input.appId)
      const { balance = 0, reserved = 0, overdraftLimit = 0, alertBelow } = wallet ?? {}
      return { balance, reserved, available: balance - reserved, overdraftLimit, alertBelow, currency: CURRENCY }
    }),
    ledger: os.ledger.handler(async ({ input: { appId, after, limit, entryType, from, to } }) => {
      const [createdAt, seq] = (after ?? '').split('.').map(Number)
      const rows = await store.lists.wallets.ledger(appId, {
        ...(after && createdAt !== undefined && seq !== undefined && { before: { createdAt, seq } }),
        ...(entryType && { entryType }),
        ...(from !== undefined && { createdFrom: from }),
        ...(to !== undefined && { createdTo: to }),
        limit: limit + 1,
      })
      const last = rows.length > limit ? rows[limit - 1] : undefined
      return {
        rows: rows.slice(0, limit).map(entryView),
        ...(last && { next: `${last.createdAt}.${last.seq}` }),
      }
    }),
    topUp: os.topUp.handler(async ({ input: { appId, amount, reference }, context }) => {
      const posted = await administer.addCredit(adminOf(deps, context), {
        appId,
        amount,
        reference: referenceOr(reference),
      })
      return entryView(posted.entry)
    }),
    refund: os.refund.handler(async ({ input, context }) => {
      const posted = await administer.refundIssue(adminOf(deps, context), input)
      return entryView(posted.entry)
    }),
    clawback: os.clawback.handler(async ({ input: { appId, amount, reference }, context }) => {
      const posted = await administer.clawBackCredit(adminOf(deps, context), {
        appId,
        amount,
        reference: referenceOr(reference),
      })
      return entryView(posted.entry)
    }),
    setOverdraft: os.setOverdraft.handler(async ({ input, context }) => {
      await administer.setOverdraft(adminOf(deps, context), input)
      return OK
    }),
    setAlert: os.setAlert.handler(async ({ input: { appId, below }, context }) => {
      await administer.setCreditAlert(adminOf(deps, context), { appId, below })
      return OK
    }),
  })
}
