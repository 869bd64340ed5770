/** How tests wait: for a state, as long as a busy machine needs, and no longer than until it is there. */

/** No test takes so long, however busy the machine is: this only ends one that hangs. */
export const HANGS_AFTER_MS = 600_000

/** No state takes so long to come, however busy the machine is. Shorter than a test's limit, so that the error names the state. */
const WAITS_AT_MOST_MS = 300_000

const LOOKS_EVERY_MS = 10

/** Waits for something to become true; throws an error that names it when it does not come in minutes. */
export async function until(isTrue: () => unknown | Promise<unknown>, what: string): Promise<void> {
  const deadline = performance.now() + WAITS_AT_MOST_MS
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`Waited ${WAITS_AT_MOST_MS / 1_000} s for ${what}`)
    await Bun.sleep(LOOKS_EVERY_MS)
  }
}
