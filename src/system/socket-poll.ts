/**
 * Whether nothing has come on a socket, and no end: the kernel is asked, since the event loop may not have heard of it yet.
 */
import { readSync } from 'node:fs'
import { fromLibc } from './libc'

type SocketLook = (fd: number) => boolean

const POLLIN = 1

let look: SocketLook | undefined

/** Answers how to look; the first time it loads what that takes. */
export const quiet = (): SocketLook => (look ??= byPoll() ?? byReading)

/** Undefined where there is no such library, or where nothing may be made that calls it. */
export function byPoll(library?: string): SocketLook | undefined {
  const poll = pollOf(library)
  return poll && lookBy(poll)
}

/** Of the descriptors asked about, how many have something to tell; negative where it could not look. */
type Poll = (asked: Int32Array, count: number, waitMs: number) => number

/** A signal that comes in the middle ends a call before it has looked: a profiler sends hundreds a second. */
const MAX_TRIES = 3

export function lookBy(poll: Poll): SocketLook {
  // A `struct pollfd`: the descriptor, what is asked, and what is so.
  const asked = new Int32Array([0, POLLIN])
  return (fd) => {
    // What is negative is no descriptor, on which nothing ever comes.
    if (fd < 0) return false
    asked[0] = fd
    let told = poll(asked, 1, 0)
    for (let tries = 1; told < 0 && tries < MAX_TRIES; tries++) told = poll(asked, 1, 0)
    return told === 0
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
