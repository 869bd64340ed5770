/** What several ask for at the same time is asked as one: to either side a statement costs more than a row. */
export function together<Ask, Answer>(
  askAll: (asks: readonly Ask[]) => Promise<readonly Answer[]>,
): (ask: Ask) => Promise<Answer> {
  let waiting: { asks: Ask[]; answers: Promise<readonly Answer[]> } | undefined
  const begin = () => {
    const asks: Ask[] = []
    const answers = Promise.resolve().then(() => {
      waiting = undefined
      return askAll(asks)
    })
    return { asks, answers }
  }
  return async (ask) => {
    waiting ??= begin()
    const { asks, answers } = waiting
    const place = asks.push(ask) - 1
    return (await answers)[place] as Answer
  }
}
