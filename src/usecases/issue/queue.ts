/** The first carrier of an issue's message, and the queue in which the message waits. */
import type { Issue } from '../../domain/codes/issue'
import type { RenderedMessage } from '../../domain/message/rendered-message'
import { unavailable } from '../../domain/shared/error'
import type { Channel } from '../../domain/shared/value'
import type { CarrierEndpoint } from '../../ports/carrier'
import type { Node } from '../../ports/node'
import type { Tx } from '../../ports/store'

export function assertServed(channel: Channel, route: readonly CarrierEndpoint[]): void {
  if (route.length === 0) throw unavailable(`No carrier is configured for the channel ${channel}`, 60_000)
}

/**
 * The carrier that is asked first. None where that one has rested and is about to be tried: then delivery decides, since one
 * message tries it and the others must not wait behind that one.
 */
export function firstCarrier(route: readonly CarrierEndpoint[], now: number): CarrierEndpoint | undefined {
  const way = route.find(({ limiter }) => limiter.admits(now))
  return way?.limiter.health(now).isHealthy ? way : undefined
}

/** Adds a delivery job that waits in the queue of its carrier. */
export async function queueDelivery(
  { node }: { node: Pick<Node, 'wakeUps'> },
  tx: Tx,
  issue: Issue,
  rendered: RenderedMessage,
  route: readonly CarrierEndpoint[],
): Promise<void> {
  const way = firstCarrier(route, tx.now)
  const queue = way && { queue: way.carrier.name }
  await tx.outbox.add(issue, rendered)
  await tx.jobs.add({ kind: 'deliver', owner: issue, subjectId: issue.issueId, runAt: tx.now, ...queue })
  tx.afterCommit(() => node.wakeUps.wake('deliver'))
}
