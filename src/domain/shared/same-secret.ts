/** Comparing what was shown with what is secret. */
import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (text: string) => createHash('sha256').update(text).digest()

/** In constant time, also for texts of different length. */
export const isSameSecret = (shown: string, secret: string): boolean => timingSafeEqual(digest(shown), digest(secret))
