/**
 * Whether nothing has come on a socket, and no end: the kernel is asked, since the event loop may not have heard of it yet.
 */
import { readSync } from 'node:fs'
import { fromLibc } from './libc'

type IsSocketQuiet = (fd: number) => boolean

const POLLIN = 1

let loaded: IsSocketQuiet | undefined

/** Answers how to look; the first time it loads what that takes. */
export const loadSocketPoll = (): IsSocketQuiet => (loaded ??= byPoll() ?? byReading)

/** Undefined where there is no such library, or where nothing may be made that calls it. */
export function byPoll(library?: string): IsSocketQuiet | undefined {
  const poll = pollOf(library)
  return poll && quietBy(poll)
}

/** Of the descriptors asked about, how many have something to tell; negative where it could not look. */
type Poll = (asked: Int32Array, count: number, waitMs: number) => number

/** A signal that comes in the middle ends a call before it has looked: a profiler sends hundreds a second. */
const MAX_TRIES = 3

export function quietBy(poll: Poll): IsSocketQuiet {
  // A `struct pollfd`: the descriptor, what is asked, and what is so.
  const request = new Int32Array([0, POLLIN])
  return (fd) => {
    // What is negative is no descriptor, on which nothing ever comes.
    if (fd < 0) return false
    request[0] = fd
    let ready = poll(request, 1, 0)
    for (let tries = 1; ready < 0 && tries < MAX_TRIES; tries++) ready = poll(request, 1, 0)
    return ready === 0
  }
}

const pollOf = (library?: string): Poll | undefined =>
  fromLibc({ poll: { args: ['buffer', 'u64', 'i32'], returns: 'i32' } }, library)?.poll

/** What is read is lost. It costs ten times as much: that there is nothing is an error. */
export function byReading(fd: number): boolean {
  try {
    readSync(fd, new Uint8Array(1))
    return false
  } catch (nothing) {
    return (nothing as NodeJS.ErrnoException).code === 'EAGAIN'
  }
}
