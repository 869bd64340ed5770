/** Core files of this process, which would hold the master secret, numbers and codes. */
import { fromLibc } from './libc'

/** On Linux and macOS alike. */
const RLIMIT_CORE = 4

/** Sets the limit of their size to nothing, for this process and those that it starts. Nothing happens where that cannot be. */
export function leaveNoCoreFiles(): void {
  // A `struct rlimit`: the limit that holds, and the one up to which it may be raised.
  const nothing = new BigUint64Array([0n, 0n])
  fromLibc({ setrlimit: { args: ['i32', 'buffer'], returns: 'i32' } })?.setrlimit(RLIMIT_CORE, nothing)
}
