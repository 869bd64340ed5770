import { implement } from '@orpc/server'
import type { AdminServices } from '../../admin/context'
import { isLive, type OperatorSession } from '../../domain/access/operator'
import type { ChangeTopic } from '../../domain/operations/change'
import { type ConsoleContext, signedIn } from '../context'
import { consoleContract } from '../contract'

export function liveProcedures(deps: AdminServices) {
  const os = implement(consoleContract.live).$context<ConsoleContext>()
  return os.router({
    changes: os.changes.handler(async ({ context, signal }) =>
      whileSignedIn(deps, signedIn(context).session, deps.node.changes.follow(signal)),
    ),
  })
}

async function* whileSignedIn(
  { store, clock }: AdminServices,
  { tokenHash }: OperatorSession,
  changes: AsyncGenerator<readonly ChangeTopic[]>,
) {
  for await (const topics of changes) {
    // A stream is no visit: it does not prolong the session.
    if (topics.length === 0 || topics.includes('people')) {
      const found = await store.read.sessions.find(tokenHash)
      if (!found || !isLive(found.session, clock.now())) return
    }
    yield { topics: [...topics] }
  }
}
