/** Lends the measuring to whoever looks at the page from outside. */
import { faultsOfColors, faultsOfLayout } from './faults'

Object.assign(globalThis, { faultsOfColors, faultsOfLayout })
