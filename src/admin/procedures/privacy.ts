import { implement } from '@orpc/server'
import { errorFields } from '../../domain/shared/error'
import { SECOND_MS } from '../../domain/shared/value'
import * as administer from '../../usecases/administer'
import { type Erased, erasePhone } from '../../usecases/erase-phone'
import { exportPhone } from '../../usecases/export-phone'
import { seekPhone } from '../../usecases/shared/phone'
import { type AdminContext, type AdminServices, adminOf } from '../context'
import { adminContract } from '../contract'

/** A longer wait would run into the client's timeout. */
const WAITED_FOR_MS = 10 * SECOND_MS

export function privacyProcedures(deps: AdminServices) {
  const os = implement(adminContract.privacy).$context<AdminContext>()
  const { clock, log, vault } = deps
  const { numbering } = deps.facts
  const doing = (context: AdminContext) => ({ ...adminOf(deps, context), numbering })

  /** Undefined if it takes longer. */
  const waitedFor = (work: Promise<Erased>): Promise<Erased | undefined> =>
    new Promise((resolve, reject) => {
      let isLate = false
      const cancel = clock.after(WAITED_FOR_MS, () => {
        isLate = true
        resolve(undefined)
      })
      work.then(resolve, (failure: unknown) => {
        // The next sweep continues it.
        if (isLate) log.error(errorFields(failure), 'erasing a phone stopped')
        reject(failure)
      })
      work.finally(cancel).catch(() => {})
    })

  return os.router({
    read: os.read.handler(async ({ input: { phoneNumber, appId } }) => {
      const app = appId === undefined ? undefined : await administer.existingApp(deps, appId)
      const { region = numbering.region } = app ?? {}
      return { phoneNumber: seekPhone(vault, phoneNumber, { ...numbering, region }).number }
    }),
    export: os.export.handler(async ({ input, context }) => {
      const { head, ...page } = await exportPhone(doing(context), input)
      return { ...(head && { head: { ...head } }), ...page }
    }),
    erase: os.erase.handler(async ({ input, context }) => {
      const erased = await waitedFor(erasePhone(doing(context), input))
      if (!erased) return {}
      const { issues, counted, events } = erased
      return { erased: { issues, counted, events } }
    }),
  })
}
