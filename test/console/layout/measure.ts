/** The measuring of `faults.ts`, in every width and light that a page is looked at in. */
import type { Page } from 'playwright-core'

export const WIDTHS = [360, 768, 1280, 1600] as const
export const SCHEMES = ['light', 'dark'] as const
/** Where colours are looked at: between them, everything is shown that is not shown everywhere. */
const COLORED: readonly number[] = [360, 1280]

const HEIGHT = 900

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
export async function faultsEverywhere(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT })
    for (const colorScheme of COLORED.includes(width) ? SCHEMES : [SCHEMES[0]]) {
      await page.emulateMedia({ colorScheme })
      await page.evaluate(atTheEnd)
      const faults = await page.evaluate(
        ({ isPlaced, isColored }) => {
          const { faultsOfLayout, faultsOfColors } = globalThis as unknown as Measuring
          return [...(isPlaced ? faultsOfLayout() : []), ...(isColored ? faultsOfColors() : [])]
        },
        { isPlaced: colorScheme === SCHEMES[0], isColored: COLORED.includes(width) },
      )
      found.push(...faults.map((fault) => `${width} ${colorScheme} ${fault}`))
    }
  }
  return found
}
