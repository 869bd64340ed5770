/**
 * A form that the server is sent in one go. What is wrong stands beside its field, whether the page or the server says
 * so. The server checks by the contract's schemas, and answers reasons: the pages stay without them, and without zod.
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
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { fieldProblem } from './field-problem'
import { ProblemNote } from './problem-note'

// biome-ignore lint/suspicious/noExplicitAny: as `@mantine/form` has it, so that interfaces fit
type Fields = Record<string, any>

/** Its value is there, and of the field's type. */
type InputProps<Value> = Omit<GetInputPropsReturnType, 'value'> & { value: Value }

export interface ServerFormOptions<Values extends Fields, Answer> {
  initialValues: Values
  /** Missing: the browser checks, by the attributes of the fields. */
  validate?: FormRulesRecord<Values>
  onValuesChange?(values: Values): void
  send(values: Values): Promise<Answer>
  onDone?(answer: Answer, values: Values): unknown
  /** After success and failure alike. */
  onSettled?(): unknown
  /** Parameters whose refusals the form shows itself, out of `error`. */
  shownByForm?: readonly string[]
}

export function useServerForm<Values extends Fields, Answer>(options: ServerFormOptions<Values, Answer>) {
  const { send, onDone, onSettled, shownByForm = [], ...input } = options
  const form = useForm<Values>(input)
  /** What the server calls the fields that are shown. */
  const paramsOf = new Map<string, readonly string[]>()
  const sending = useMutation({
    mutationFn: (values: Values) => send(values),
    // Neither what was typed nor a secret that was answered is kept once the form is gone.
    gcTime: 0,
    ...(onDone && { onSuccess: onDone }),
    ...(onSettled && { onSettled }),
    onError(failure) {
      for (const [name, params] of paramsOf) {
        const problem = fieldProblem(failure, ...params)
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
    error: sending.error,
    isPending: sending.isPending,
    isDone: sending.isSuccess,
    isBrowserChecked: input.validate === undefined,
    /** What no field shows. */
    failure: fieldProblem(sending.error, ...shownByForm) === undefined ? sending.error : null,
  }
}

export type ServerForm<Values extends Fields, Answer> = ReturnType<typeof useServerForm<Values, Answer>>

type Sent = SyntheticEvent<HTMLFormElement> | undefined

/** An input that has a mistake of its own, such as a typed country that there is not. */
const refusedByItself = (event: Sent): HTMLInputElement | undefined =>
  [...(event?.currentTarget.querySelectorAll('input') ?? [])].find(({ validity }) => validity.customError)

/** Leads to the first field that is not right, for those who do not see where it is. */
function toFirstProblem(errors: FormErrors, _: unknown, event: Sent): void {
  const [first] = Object.keys(errors)
  event?.currentTarget.querySelector<HTMLElement>(`[data-path="${first}"]`)?.focus()
}

interface FormProps extends FormEndProps {
  form: FormEndProps['form'] & { submit(event: FormEvent<HTMLFormElement>): void; isBrowserChecked: boolean }
  children: ReactNode
}

export function Form({ children, ...props }: FormProps) {
  return (
    <form onSubmit={props.form.submit} noValidate={!props.form.isBrowserChecked}>
      <Stack>
        {children}
        <FormEnd {...props} />
      </Stack>
    </form>
  )
}

interface FormEndProps extends Pick<ButtonProps, 'color' | 'disabled'> {
  form: { failure: unknown; isPending: boolean }
  /** The button's word. */
  action: ReactNode
  /** Of a window of its own. */
  onCancel?(): void
  /** Another word for leaving, once there is nothing to cancel. */
  cancel?: string
}

/** What went wrong with the form as a whole, and its buttons. */
export function FormEnd({ form: { failure, isPending }, action, onCancel, cancel, ...props }: FormEndProps) {
  const common = useWords(frameWords)
  return (
    <>
      {failure !== null && <ProblemNote failure={failure} />}
      <Group {...(onCancel && { justify: 'flex-end' })}>
        {onCancel && (
          <Button variant="default" onClick={onCancel}>
            {cancel ?? common.cancel}
          </Button>
        )}
        <Button type="submit" loading={isPending} {...props}>
          {action}
        </Button>
      </Group>
    </>
  )
}
