/** The measuring of `faults.ts`, in each width and light that a page is looked at in. */
import type { Page } from 'playwright-core'

const HEIGHT = 900

/** Where a page is first looked at. */
export const AT_A_DESK = { width: 1280, height: HEIGHT }

/** A page is looked at in one light first, then in the other: what changes between two looks costs the browser most. */
interface Look {
  width: number
  schemes: readonly ('light' | 'dark')[]
}

/** Colours are looked at here: between these two widths, everything is shown that is not shown everywhere. */
export const NARROW_AND_WIDE: readonly Look[] = [
  { width: AT_A_DESK.width, schemes: ['light', 'dark'] },
  { width: 360, schemes: ['dark', 'light'] },
]
export const EVERY_WIDTH: readonly Look[] = [
  ...NARROW_AND_WIDE,
  { width: 768, schemes: ['light'] },
  { width: 1600, schemes: ['light'] },
]

/** To be given to a browser's context as its init script: past the page's policy, in each of its pages. */
export async function measuringScript(): Promise<string> {
  const { outputs, logs } = await Bun.build({
    entrypoints: [`${import.meta.dir}/in-page.ts`],
    target: 'browser',
    format: 'iife',
  })
  if (outputs[0] === undefined) throw new AggregateError(logs)
  return outputs[0].text()
}

interface Measuring {
  faultsOfLayout(): string[]
  faultsOfColors(): string[]
}

/** For the page: what moves is at its end at once, and everything that was to come of it is drawn. */
export async function atTheEnd(): Promise<void> {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const moving = () =>
    document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Number.POSITIVE_INFINITY)
  await frame()
  await frame()
  while (moving().length > 0) {
    for (const motion of moving()) motion.finish()
    await frame()
  }
}

/** What is wrong, and where: `360 light overlap: …`. Where things stand is the same in the dark. */
export async function faultsEverywhere(page: Page, looks: readonly Look[]): Promise<string[]> {
  const found: string[] = []
  for (const { width, schemes } of looks) {
    await page.setViewportSize({ width, height: HEIGHT })
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      await page.evaluate(atTheEnd)
      const faults = await page.evaluate(
        ({ isPlaced, isColored }) => {
          const { faultsOfLayout, faultsOfColors } = globalThis as unknown as Measuring
          return [...(isPlaced ? faultsOfLayout() : []), ...(isColored ? faultsOfColors() : [])]
        },
        { isPlaced: colorScheme === 'light', isColored: schemes.length > 1 },
      )
      found.push(...faults.map((fault) => `${width} ${colorScheme} ${fault}`))
    }
  }
  return found
}
