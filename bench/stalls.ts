/** How long a server answers nobody at a time, as whoever else asks it sees it. */
import { Connection, httpRequest } from './load/connection'

const EVERY_MS = 5

/** The longest that the simplest request has waited, of those sent every few milliseconds until `end`; milliseconds. */
export async function longestStall(url: string, end: Promise<unknown>): Promise<number> {
  const connection = await Connection.open(new URL(url))
  let isOver = false
  const over = () => {
    isOver = true
  }
  end.then(over, over)
  let longest = 0
  while (!isOver) {
    const askedAt = performance.now()
    await connection.send(httpRequest('GET', '/healthz', {}))
    const took = performance.now() - askedAt
    longest = Math.max(longest, took)
    if (took < EVERY_MS) await Bun.sleep(EVERY_MS - took)
  }
  connection.close()
  return longest
}
