/**
 * A form that is sent by one call. What is wrong stands beside its field, whether the page or the server says so. The
 * server checks by the contract's schemas and answers a reason, so the pages need neither the schemas nor zod.
 *
 *     const form = useServerForm({
 *       initialValues: { name: '' },
 *       validate: { name: (name) => (name.trim() === '' ? say.needsName : undefined) },
 *       send: (values) => client.apps.create(values),
 *       onDone: ({ name }) => tellDone(say.made(name)),
 *     })
 *     <Form form={form} action={say.make} onCancel={onClose}>
 *       <TextInput label={say.name} {...form.field('name')} />
 *     </Form>
 */
import { Button, type ButtonProps, Group, Stack } from '@mantine/core'
import { type FormErrors, type FormRulesRecord, type GetInputPropsReturnType, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent, ReactNode, SyntheticEvent } from 'react'
import { problemOf } from '../api'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { ProblemNote } from './problem-note'

// biome-ignore lint/suspicious/noExplicitAny: as `@mantine/form` has it, so that interfaces fit
type FormFields = Record<string, any>

/** The value exists and has the type of the field. */
type InputProps<Value> = Omit<GetInputPropsReturnType, 'value'> & { value: Value }

export interface ServerFormOptions<Values extends FormFields, Answer> {
  initialValues: Values
  /** If missing, the browser validates by the attributes of the fields. */
  validate?: FormRulesRecord<Values>
  onValuesChange?(values: Values): void
  send(values: Values): Promise<Answer>
  onDone?(answer: Answer, values: Values): unknown
  /** Runs after success and after failure. */
  onSettled?(): unknown
  /** Parameters whose errors the form shows itself. */
  otherParams?: readonly string[]
}

export function useServerForm<Values extends FormFields, Answer>(options: ServerFormOptions<Values, Answer>) {
  const { send, onDone, onSettled, otherParams = [], ...input } = options
  const form = useForm<Values>(input)
  /** Server names of the visible fields. */
  const paramsOf = new Map(otherParams.map((param) => [param, [param]]))
  const sending = useMutation({
    mutationFn: (values: Values) => send(values),
    // The cache keeps neither input nor an answered secret after the form is closed.
    gcTime: 0,
    ...(onDone && { onSuccess: onDone }),
    ...(onSettled && { onSettled }),
    onError(failure) {
      for (const [name, params] of paramsOf) {
        const problem = fieldProblem(failure, params)
        if (problem === undefined) continue
        form.setFieldError(name, problem)
        sending.reset()
      }
    },
  })
  return {
    values: form.values,
    errors: form.errors,
    set: form.setValues,
    reset: form.reset,
    /** Props of one input. The server may use other names for the field. */
    field<Name extends keyof Values & string>(name: Name, ...otherParams: string[]) {
      paramsOf.set(name, [name, ...otherParams])
      return form.getInputProps(name) as InputProps<Values[Name]>
    },
    /** Props without an error; the error then stands above the buttons. */
    plainField: <Name extends keyof Values & string>(name: Name) =>
      form.getInputProps(name, { withError: false }) as InputProps<Values[Name]>,
    checkbox: (name: keyof Values & string) => form.getInputProps(name, { type: 'checkbox' }),
    submit: form.onSubmit((values, event) => {
      const refused = refusedByItself(event)
      if (refused) refused.focus()
      else if (!sending.isPending) sending.mutate(values)
    }, toFirstProblem),
    /** Clears the last result. */
    forget: sending.reset,
    sent: sending.variables,
    answer: sending.data,
    /** The error that no field shows. */
    failure: sending.error,
    isPending: sending.isPending,
    isDone: sending.isSuccess,
    isBrowserChecked: input.validate === undefined,
  }
}

export type ServerForm<Values extends FormFields, Answer> = ReturnType<typeof useServerForm<Values, Answer>>

/** The error of a field, by its server names. */
function fieldProblem(failure: unknown, names: readonly string[]): string | undefined {
  const { code, param = '', message } = problemOf(failure)
  const isAbout = names.some((name) => param === name || param.startsWith(`${name}.`))
  return code === 'BAD_REQUEST' && isAbout ? message : undefined
}

type FormEventOrNone = SyntheticEvent<HTMLFormElement> | undefined

/** An input that is invalid itself, such as an unknown country. */
const refusedByItself = (event: FormEventOrNone): HTMLInputElement | undefined =>
  [...(event?.currentTarget.querySelectorAll('input') ?? [])].find(({ validity }) => validity.customError)

/** Focuses the first invalid field, for screen readers. */
function toFirstProblem(errors: FormErrors, _: unknown, event: FormEventOrNone): void {
  const [first] = Object.keys(errors)
  event?.currentTarget.querySelector<HTMLElement>(`[data-path="${first}"]`)?.focus()
}

interface FormProps extends Pick<ButtonProps, 'color' | 'disabled'> {
  form: {
    submit(event: FormEvent<HTMLFormElement>): void
    failure: unknown
    isPending: boolean
    isBrowserChecked: boolean
  }
  /** Label of the button. */
  action: ReactNode
  /** For a form in a dialog. */
  onCancel?(): void
  /** Another label for the button, once there is nothing to cancel. */
  cancel?: string
  children: ReactNode
}

/** The fields, the error of the whole form, and the buttons. */
export function Form({ form, action, onCancel, cancel, children, ...button }: FormProps) {
  const common = useWords(frameWords)
  return (
    <form onSubmit={form.submit} noValidate={!form.isBrowserChecked}>
      <Stack>
        {children}
        {form.failure !== null && <ProblemNote failure={form.failure} />}
        <Group {...(onCancel && { justify: 'flex-end' })}>
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              {cancel ?? common.cancel}
            </Button>
          )}
          <Button type="submit" loading={form.isPending} {...button}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
