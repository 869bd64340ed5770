/** Loaded before the program: its clock is wrong by what a file says, as if an operator had set it. */
import { readFileSync } from 'node:fs'

const READ_EVERY_MS = 20

const file = process.env.TEST_CLOCK ?? ''
const right = Date.now
let readAt = 0
let wrongByMs = 0

Date.now = () => {
  const now = right()
  if (Math.abs(now - readAt) >= READ_EVERY_MS) {
    wrongByMs = Number(readFileSync(file, 'utf8'))
    readAt = now
  }
  return now + wrongByMs
}
