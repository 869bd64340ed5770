/** What reads addresses, loaded with the first that is read: a server listens before. */
import type * as Net from 'node:net'
import type Library from 'ipaddr.js'

let library: typeof Library | undefined
let net: typeof Net | undefined

export function ipaddr(): typeof Library {
  library ??= require('ipaddr.js') as typeof Library
  return library
}

/** 0 for what is no address, else its version. */
export function isIP(text: string): number {
  net ??= require('node:net') as typeof Net
  return net.isIP(text)
}
