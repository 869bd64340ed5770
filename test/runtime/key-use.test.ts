/** When keys were last used: nothing noted is lost to a store that does not take it, and nothing older wins. */
import { expect, test } from 'bun:test'
import type { Store } from '../../src/ports/store'
import { NotedKeyUse } from '../../src/runtime/caches/store-cache'

/** Takes what it is given, or fails; `meanwhile` is what happens while it does. */
function storeOf(meanwhile: () => void = () => {}, isBroken = false) {
  const saved: Array<Record<string, number>> = []
  const touch = async (uses: ReadonlyMap<string, number>) => {
    meanwhile()
    if (isBroken) throw new Error('full')
    saved.push(Object.fromEntries(uses))
  }
  const transaction = ((work) => work({ keys: { touch } } as never)) as Store['transaction']
  return { saved, store: { transaction } }
}

test('what was noted is stored once, by the latest time', async () => {
  const uses = new NotedKeyUse({ elapsed: () => 0 })
  const { saved, store } = storeOf()
  await uses.save(store)
  for (const at of [1, 2]) uses.note('a', at)
  uses.note('b', 1)
  expect([uses.latest('a'), uses.latest('c')]).toEqual([2, undefined])
  await uses.save(store)
  await uses.save(store)
  expect(saved).toEqual([{ a: 2, b: 1 }])
  expect(uses.latest('a')).toBeUndefined()
})

test('what could not be stored is stored the next time, but for keys used since', async () => {
  const uses = new NotedKeyUse({ elapsed: () => 0 })
  for (const key of ['a', 'b']) uses.note(key, 1)
  const broken = storeOf(() => uses.note('a', 2), true)
  await expect(uses.save(broken.store)).rejects.toThrow('full')
  expect([uses.latest('a'), uses.latest('b')]).toEqual([2, 1])
  const { saved, store } = storeOf()
  await uses.save(store)
  expect(saved).toEqual([{ a: 2, b: 1 }])
})

test('it is stored every fifteen seconds at most, the first use at once', async () => {
  let elapsed = 0
  const uses = new NotedKeyUse({ elapsed: () => elapsed })
  const { saved, store } = storeOf()
  const tidyAt = async (at: number) => {
    elapsed = at
    uses.note('a', at)
    await uses.tidy(store)
  }
  for (const at of [1_000, 2_000, 15_999, 16_000, 17_000]) await tidyAt(at)
  expect(saved).toEqual([{ a: 1_000 }, { a: 16_000 }])
  expect(uses.latest('a')).toBe(17_000)
})
