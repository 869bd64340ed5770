/**
 * Whether a socket has neither data nor an end. The kernel is asked, since the event loop may not have noticed yet.
 */
import { readSync } from 'node:fs'
import { fromLibc } from './libc'

type IsSocketQuiet = (fd: number) => boolean

const POLLIN = 1

let loaded: IsSocketQuiet | undefined

/** Returns the function that polls; the first call loads it. */
export const loadSocketPoll = (): IsSocketQuiet => (loaded ??= byPoll() ?? byReading)

/** Undefined where the C library cannot be called. */
export function byPoll(library?: string): IsSocketQuiet | undefined {
  const poll = pollOf(library)
  return poll && quietBy(poll)
}

/** The number of descriptors with events; negative on an error. */
type Poll = (asked: Int32Array, count: number, waitMs: number) => number

/** A signal interrupts the call; a profiler sends hundreds a second. */
const MAX_TRIES = 3

export function quietBy(poll: Poll): IsSocketQuiet {
  // A `struct pollfd`: descriptor, requested events, returned events.
  const request = new Int32Array([0, POLLIN])
  return (fd) => {
    // `poll` ignores negative descriptors, which would look quiet.
    if (fd < 0) return false
    request[0] = fd
    let ready = poll(request, 1, 0)
    for (let tries = 1; ready < 0 && tries < MAX_TRIES; tries++) ready = poll(request, 1, 0)
    return ready === 0
  }
}

const pollOf = (library?: string): Poll | undefined =>
  fromLibc({ poll: { args: ['buffer', 'u64', 'i32'], returns: 'i32' } }, library)?.poll

/** The fallback. A byte that it reads is lost, and it costs ten times as much, since quiet is reported as an error. */
export function byReading(fd: number): boolean {
  try {
    readSync(fd, new Uint8Array(1))
    return false
  } catch (nothing) {
    return (nothing as NodeJS.ErrnoException).code === 'EAGAIN'
  }
}
