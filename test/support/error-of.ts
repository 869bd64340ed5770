/**
 * What work fails with; throws where it does not fail. Tests use it instead of `rejects`: Bun 1.4.5 waits for that in a loop of its
 * own, in which an immediate may wait for half a second while a connection is open.
 */
export async function errorOf<E extends Error = Error>(work: PromiseLike<unknown>): Promise<E> {
  const error = await Promise.resolve(work).then(
    () => undefined,
    (thrown: E) => thrown,
  )
  if (!error) throw new Error('Nothing was thrown')
  return error
}
