/** Refusals name what they are about first (`origin: at most 20 origins`): said beside that field, they help most. */
import { problemOf } from '../api'

/** What is wrong with one of the fields that the server knows under these names. */
export function fieldProblem(failure: unknown, ...names: string[]): string | undefined {
  if (failure === null || failure === undefined) return undefined
  const { code, message } = problemOf(failure)
  if (code !== 'BAD_REQUEST') return undefined
  const [, field = '', problem = ''] = /^([\w.]+): (.*)$/s.exec(message) ?? []
  return names.some((name) => field === name || field.startsWith(`${name}.`)) ? problem : undefined
}
