/** Loaded before all tests: what a process keeps between them is removed after its last one, or after each file. */
import { afterAll } from 'bun:test'

const removals = new Set<() => void>()

export const atEnd = (remove: () => void) => void removals.add(remove)

afterAll(() => {
  for (const remove of removals) remove()
})
