/** The library that reads phone numbers, once there is one to read: to make its metadata would be a part of every start. */
import type * as Library from 'libphonenumber-js/max'

let library: typeof Library | undefined

export function numbers(): typeof Library {
  library ??= require('libphonenumber-js/max') as typeof Library
  return library
}
