/** The library that reads phone numbers, once there is one to read: to make its metadata would be a part of every start. */
import type * as Library from './number-library'

let library: typeof Library | undefined

export function numbers(): typeof Library {
  library ??= require('./number-library') as typeof Library
  return library
}
