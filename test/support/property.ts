/** Properties over random input; the same input for the same seed of a run. */
import fc from 'fast-check'
import { SEED } from './seed'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED })

/**
 * Any text without halves of surrogate pairs. The library's own unit `binary` makes and keeps a string of each of a million
 * characters, which takes a second and slows every garbage collection of the process.
 */
export const anyText = () => fc.array(character).map((points) => String.fromCodePoint(...points))

const character = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }),
  fc.integer({ min: 0, max: 0xd7ff }),
  fc.integer({ min: 0xe000, max: 0x10ffff }),
)

export default fc
