/** What is wrong is said beside the field it is about, where it helps most: of what the page checks, and of what the server refuses. */
import type { FormErrors, UseFormReturnType } from '@mantine/form'
import type { FormEvent } from 'react'
import { problemOf } from '../api'

/** What is wrong with one of the fields that the server knows under these names. */
export function fieldProblem(failure: unknown, ...names: string[]): string | undefined {
  if (failure === null || failure === undefined) return undefined
  const { code, param = '', message } = problemOf(failure)
  const isAbout = names.some((name) => param === name || param.startsWith(`${name}.`))
  return code === 'BAD_REQUEST' && isAbout ? message : undefined
}

/** Puts a refusal beside the field of the form it is about; answers whether it was about one. */
export function refuseField<Values extends Record<string, string>>(
  form: Pick<UseFormReturnType<Values>, 'getValues' | 'setFieldError'>,
  failure: unknown,
): boolean {
  const name = Object.keys(form.getValues()).find((known) => fieldProblem(failure, known) !== undefined)
  if (name !== undefined) form.setFieldError(name, fieldProblem(failure, name))
  return name !== undefined
}

/** Leads to the first field of a form that is not right, for those who do not see where it is. */
export function toFirstProblem(errors: FormErrors, _: unknown, event: FormEvent<HTMLFormElement> | undefined): void {
  const [first] = Object.keys(errors)
  event?.currentTarget.querySelector<HTMLElement>(`[data-path="${first}"]`)?.focus()
}
