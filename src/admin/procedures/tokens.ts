import { implement } from '@orpc/server'
import * as administer from '../../usecases/administer'
import { type AdminContext, type AdminServices, adminOf, OK } from '../context'
import { adminContract } from '../contract'

const view = <Token extends administer.ShownAdminToken>(token: Token) => ({
  ...token,
  scopes: [...token.scopes],
  appIds: token.appIds && [...token.appIds],
  allowedCidrs: [...token.allowedCidrs],
})

export function tokenProcedures(deps: AdminServices) {
  const os = implement(adminContract.tokens).$context<AdminContext>()
  return os.router({
    list: os.list.handler(async () => ({ tokens: (await administer.listAdminTokens(deps)).map(view) })),
    create: os.create.handler(async ({ input, context }) =>
      view(await administer.createAdminToken(adminOf(deps, context), input)),
    ),
    revoke: os.revoke.handler(async ({ input, context }) => {
      await administer.revokeAdminToken(adminOf(deps, context), input.tokenId)
      return OK
    }),
  })
}
