/** What the server refuses is said beside the field it is about, where it helps most. */
import { problemOf } from '../api'

/** What is wrong with one of the fields that the server knows under these names. */
export function fieldProblem(failure: unknown, ...names: string[]): string | undefined {
  if (failure === null || failure === undefined) return undefined
  const { code, param = '', message } = problemOf(failure)
  const isAbout = names.some((name) => param === name || param.startsWith(`${name}.`))
  return code === 'BAD_REQUEST' && isAbout ? message : undefined
}
