/** Changes of a command beside a server. */
import { expect, test } from 'bun:test'
import { throttleWrites } from '../../src/system/write-throttle'

/** How long each of some groups waits, where they take so long. */
async function waits(...took: number[]): Promise<number[]> {
  let now = 0
  const waited: number[] = []
  let group: () => Promise<void> = async () => {}
  const soon = throttleWrites({
    now: () => now,
    after(ms, then) {
      waited.push(ms)
      group = async () => then()
    },
  })
  for (const ms of took) {
    soon(async () => {
      now += ms
    })
    await group()
  }
  return waited
}

test('the server gets as much time as the group before took, and no less than it needs to notice', async () => {
  expect(await waits(1, 80, 30, 1)).toEqual([10, 10, 80, 30])
})
