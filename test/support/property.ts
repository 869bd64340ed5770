/** Properties over random input; the same input for the same seed of a run. */
import fc from 'fast-check'
import { SEED } from './seed'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED })

export default fc
