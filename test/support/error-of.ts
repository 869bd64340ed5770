/**
 * The error that work fails with; throws where it does not fail. Tests use it instead of `rejects`: Bun 1.4.5 waits for that in a
 * loop of its own, in which an immediate may wait for half a second while a connection is open.
 */
export async function errorOf(work: PromiseLike<unknown>): Promise<Error> {
  const thrown = await Promise.resolve(work).then(
    () => 'nothing',
    (error: unknown) => error,
  )
  if (thrown instanceof Error) return thrown
  throw new Error(`Expected an error to be thrown, but it was ${thrown}`)
}
