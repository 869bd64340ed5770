import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { isNightly } from '../support/depth'
import { faultsOf } from './support'

/** Only colours differ in the dark, and the contrast of each page is measured there by `layout/`: the rest is for nightly. */
export const LIGHTS = isNightly ? (['light', 'dark'] as const) : (['light'] as const)

/** Holds the page as it is shown now against WCAG. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  for (const colorScheme of LIGHTS) {
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

/** For the page: nothing turns or is grey in place of what is still to come. */
export const hasLoaded = () =>
  ![...document.querySelectorAll('[aria-busy=true], .mantine-Loader-root, .mantine-Skeleton-root')].some((waiting) =>
    waiting.checkVisibility(),
  )
