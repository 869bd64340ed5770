/** `X-Request-Id`, on every response. Specification: "Rules that hold for the whole service". */
import type { Clock } from '../ports/clock'
import type { Random } from '../ports/random'

const PATTERN = /^[A-Za-z0-9._:-]{8,128}$/

/** The caller's id where it is well formed, else a new one. */
export function requestIdOf(
  headers: Headers,
  { random, clock }: { random: Random; clock: Pick<Clock, 'now'> },
): string {
  const given = headers.get('x-request-id')
  return given !== null && PATTERN.test(given) ? given : random.uuid(clock.now())
}
