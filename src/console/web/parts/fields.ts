/**
 * The fields of a form, and what is wrong with each: by the page before it is sent, by the server afterwards.
 *
 *     const fields = useFields({ name: '' }, ({ name }) => ({ name: name.trim() ? undefined : say.needsName }))
 *     <form onSubmit={fields.onSubmit((values) => create.mutate(values))} noValidate>
 *       <TextInput label={say.name} {...fields.of('name')} />
 */
import { type ChangeEvent, type FormEvent, useState } from 'react'
import { fieldProblem } from './field-problem'

type Problems<Name extends string> = Partial<Record<Name, string | undefined>>

export function useFields<Name extends string>(
  initial: Readonly<Record<Name, string>>,
  check: (values: Record<Name, string>) => Problems<Name>,
) {
  const [values, setValues] = useState<Record<Name, string>>({ ...initial })
  const [isTried, setTried] = useState(false)
  const [refused, setRefused] = useState<Problems<Name>>({})
  const names = Object.keys(initial) as Name[]
  const wrong: Problems<Name> = isTried ? check(values) : {}

  return {
    values,
    reset() {
      setValues({ ...initial })
      setTried(false)
      setRefused({})
    },
    of: (name: Name) => ({
      name,
      value: values[name],
      error: wrong[name] ?? refused[name],
      onChange(event: ChangeEvent<HTMLInputElement>) {
        const { value } = event.currentTarget
        setValues((before) => ({ ...before, [name]: value }))
        setRefused((before) => ({ ...before, [name]: undefined }))
      },
    }),
    /** Sends what is right; otherwise leads to the first field that is not. */
    onSubmit: (send: (values: Record<Name, string>) => void) => (event: FormEvent<HTMLFormElement>) => {
      event.preventDefault()
      setTried(true)
      const problems = check(values)
      const first = names.find((name) => problems[name] !== undefined)
      if (first === undefined) return send(values)
      const field = event.currentTarget.elements.namedItem(first)
      if (field instanceof HTMLElement) field.focus()
    },
    /** Puts a refusal beside the field it is about; answers whether it was about one. */
    refuse(failure: unknown): boolean {
      const name = names.find((known) => fieldProblem(failure, known) !== undefined)
      if (name !== undefined) setRefused((before) => ({ ...before, [name]: fieldProblem(failure, name) }))
      return name !== undefined
    },
  }
}
