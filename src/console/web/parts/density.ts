/** How close the rows of every table stand: one choice for all of them. */
import { kept } from '../kept'

export const DENSITIES = ['dense', 'comfortable'] as const
export type Density = (typeof DENSITIES)[number]

const choice = kept('density')

export const setDensity = (density: Density): void => choice.set(density)

export const useDensity = (): Density => (choice.use() === 'comfortable' ? 'comfortable' : 'dense')
