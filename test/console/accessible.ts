import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { faultsOf } from './support'

/** Holds the page as it is shown now against WCAG, in a light room and in a dark one. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(atRest)
    expect({ what, colorScheme, faults: await faultsOf(page) }).toEqual({ what, colorScheme, faults: [] })
  }
  await page.emulateMedia({ colorScheme: 'light' })
}

/** For the page: colours are not measured half way from one to the other; what loads may go on moving. */
export async function atRest(): Promise<void> {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const isMoving = () =>
    document.getAnimations().some(({ effect }) => effect?.getTiming().iterations !== Number.POSITIVE_INFINITY)
  await frame()
  await frame()
  while (isMoving()) await frame()
}
