/** Whether more codes are refused than usual: how an operator learns of it who looks at the overview. Live mode only. */

const DAY_HOURS = 24
const COMPARED_DAYS = 7
/** The running hour, and the one before. */
const LATELY_HOURS = 2
export const COMPARED_HOURS = COMPARED_DAYS * DAY_HOURS + LATELY_HOURS

/** Fewer in an hour are a few people who asked again too soon. */
const LEAST_UNUSUAL = 5
/** Standard deviations of a Poisson distribution: chance exceeds them in 1 of 700 hours. */
const DEVIATIONS = 3

/** Numbers of refused codes in an hour. */
export interface RefusedLately {
  /** The larger of the last two hours. */
  lately: number
  /** The median, over seven days, of the worst hour of a day: one attack is not what is usual. */
  usual: number
  isUnusual: boolean
}

/** `byHour`: how many were refused in each of the last `COMPARED_HOURS`, the oldest first, the running hour last. */
export function compareRefused(byHour: readonly number[]): RefusedLately {
  const lately = Math.max(...byHour.slice(-LATELY_HOURS))
  const worst = Array.from({ length: COMPARED_DAYS }, (_, day) =>
    Math.max(...byHour.slice(day * DAY_HOURS, (day + 1) * DAY_HOURS)),
  )
  const usual = worst.toSorted((one, other) => one - other)[Math.floor(COMPARED_DAYS / 2)] ?? 0
  return { lately, usual, isUnusual: lately >= LEAST_UNUSUAL && lately > usual + DEVIATIONS * Math.sqrt(usual) }
}
