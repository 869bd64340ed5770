/** Functions of the C library that Bun does not offer. */
import type { FFIFunction, Library } from 'bun:ffi'

/** musl has this name, too. */
const LIBRARY = process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6'

/** Undefined where the library is missing, or where the system forbids generated code that calls it. */
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

/** The number of the limit of core files, on Linux and macOS alike. */
const RLIMIT_CORE = 4

/**
 * Sets the size limit of core files to zero, for this process and its children. A core file would hold the master
 * secret, numbers and codes. Does nothing where the limit cannot be set.
 */
export function leaveNoCoreFiles(): void {
  // A `struct rlimit`: the soft limit and the hard limit.
  const nothing = new BigUint64Array([0n, 0n])
  fromLibc({ setrlimit: { args: ['i32', 'buffer'], returns: 'i32' } })?.setrlimit(RLIMIT_CORE, nothing)
}
