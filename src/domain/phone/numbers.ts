/** Loads the phone number library at first use, since its metadata would slow down every start. */
import type * as Library from './number-library'

let library: typeof Library | undefined

export function numbers(): typeof Library {
  library ??= require('./number-library') as typeof Library
  return library
}
