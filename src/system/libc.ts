/** Functions of the C library that Bun has no word for. */
import type { FFIFunction, Library } from 'bun:ffi'

/** musl answers to this name, too. */
const LIBRARY = process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6'

/** Undefined where there is no such library, or where nothing may be made that calls it. */
export function fromLibc<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
  library = LIBRARY,
): Library<Functions>['symbols'] | undefined {
  try {
    const { dlopen } = require('bun:ffi') as typeof import('bun:ffi')
    return dlopen(library, functions).symbols
  } catch {
    return undefined
  }
}
