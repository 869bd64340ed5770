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

/** Its value is there, and of the field's type. */
type InputProps<Value> = Omit<GetInputPropsReturnType, 'value'> & { value: Value }

export interface ServerFormOptions<Values extends FormFields, Answer> {
  initialValues: Values
  /** Missing: the browser checks, by the attributes of the fields. */
  validate?: FormRulesRecord<Values>
  onValuesChange?(values: Values): void
  send(values: Values): Promise<Answer>
  onDone?(answer: Answer, values: Values): unknown
  /** After success and failure alike. */
  onSettled?(): unknown
  /** Parameters whose refusals the form itself shows, out of `errors`. */
  otherParams?: readonly string[]
}

export function useServerForm<Values extends FormFields, Answer>(options: ServerFormOptions<Values, Answer>) {
  const { send, onDone, onSettled, otherParams = [], ...input } = options
  const form = useForm<Values>(input)
  /** What the server calls the fields that are shown. */
  const paramsOf = new Map(otherParams.map((param) => [param, [param]]))
  const sending = useMutation({
    mutationFn: (values: Values) => send(values),
    // Neither what was typed nor a secret that was answered is kept once the form is gone.
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
    /** For the input of one field. The server may know it by other names. */
    field<Name extends keyof Values & string>(name: Name, ...otherParams: string[]) {
      paramsOf.set(name, [name, ...otherParams])
      return form.getInputProps(name) as InputProps<Values[Name]>
    },
    /** Without a place for a refusal, which then stands above the buttons. */
    plainField: <Name extends keyof Values & string>(name: Name) =>
      form.getInputProps(name, { withError: false }) as InputProps<Values[Name]>,
    checkbox: (name: keyof Values & string) => form.getInputProps(name, { type: 'checkbox' }),
    submit: form.onSubmit((values, event) => {
      const refused = refusedByItself(event)
      if (refused) refused.focus()
      else if (!sending.isPending) sending.mutate(values)
    }, toFirstProblem),
    /** Forgets what came of the last time. */
    forget: sending.reset,
    sent: sending.variables,
    answer: sending.data,
    /** What no field shows. */
    failure: sending.error,
    isPending: sending.isPending,
    isDone: sending.isSuccess,
    isBrowserChecked: input.validate === undefined,
  }
}

export type ServerForm<Values extends FormFields, Answer> = ReturnType<typeof useServerForm<Values, Answer>>

/** What is wrong with one of the fields that the server knows under these names. */
function fieldProblem(failure: unknown, names: readonly string[]): string | undefined {
  const { code, param = '', message } = problemOf(failure)
  const isAbout = names.some((name) => param === name || param.startsWith(`${name}.`))
  return code === 'BAD_REQUEST' && isAbout ? message : undefined
}

type FormEventOrNone = SyntheticEvent<HTMLFormElement> | undefined

/** An input that has a mistake of its own, such as a typed country that there is not. */
const refusedByItself = (event: FormEventOrNone): HTMLInputElement | undefined =>
  [...(event?.currentTarget.querySelectorAll('input') ?? [])].find(({ validity }) => validity.customError)

/** Leads to the first field that is not right, for those who do not see where it is. */
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
  /** The button's word. */
  action: ReactNode
  /** Of a form in a window of its own. */
  onCancel?(): void
  /** Another word for leaving, once there is nothing to cancel. */
  cancel?: string
  children: ReactNode
}

/** Fields, what went wrong with the form as a whole, and the buttons. */
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
