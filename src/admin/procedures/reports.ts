import { implement } from '@orpc/server'
import * as administer from '../../usecases/administer'
import { type AdminContext, type AdminServices, adminOf, OK } from '../context'
import { adminContract } from '../contract'

export function priceProcedures(deps: AdminServices) {
  const os = implement(adminContract.prices).$context<AdminContext>()
  return os.router({
    list: os.list.handler(async () => ({ prices: await administer.listPrices(deps) })),
    set: os.set.handler(({ input, context }) => administer.setPrice(adminOf(deps, context), input)),
    remove: os.remove.handler(async ({ input, context }) => {
      await administer.removePrice(adminOf(deps, context), input.priceId)
      return OK
    }),
  })
}
