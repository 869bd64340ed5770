/** Where the log goes, and who reads it there. */
import { fstatSync, statSync } from 'node:fs'

export const STDERR = 2

/** By somebody who may fail to: a file and a terminal take what they get. */
export function isPiped(): boolean {
  const stderr = fstatSync(STDERR)
  return stderr.isFIFO() || stderr.isSocket()
}

/** Into `/dev/null`, whatever it is called where this runs. */
export function isThrownAway(): boolean {
  const stderr = fstatSync(STDERR)
  return stderr.isCharacterDevice() && stderr.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev
}
