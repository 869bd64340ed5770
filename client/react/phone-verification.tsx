/** A verification screen: the parts in a form, with focus management. */
import { type FormEvent, type ReactNode, type RefObject, useCallback, useEffect, useId, useRef, useState } from 'react'
import type { Failed, FlowOptions, FlowVerdict, Locked, Verified } from '../flow'
import { readCode } from '../flow/code'
import { listenForMessages } from '../screen/message'
import { wholeNumber } from '../screen/number'
import type { Step } from '../screen/step'
import type { Texts } from '../texts/texts'
import { type NumberOptions, ScreenProvider } from './context'
import { useEmptyField, useFocusOnStep, useHasFocus, useOutcome, useStep } from './hooks'
import {
  CancelButton,
  ChosenNumber,
  CodeField,
  ErrorText,
  PhoneField,
  ResendButton,
  Status,
  SubmitButton,
} from './parts'
import { useVerification } from './use-verification'

export interface PhoneVerificationProps<V extends FlowVerdict> extends FlowOptions<V>, NumberOptions {
  /** Texts of `@watchword/client/texts`. */
  texts: Texts
  /** Called when the code was right. The page's backend must check the proof. */
  onVerified?: ((state: Verified<V>) => void) | undefined
  /** Called when there is no usable code. */
  onFailed?: ((state: Locked | Failed) => void) | undefined
  className?: string | undefined
  /** The parts in your order and style; all of them when omitted. */
  children?: ReactNode
}

export function PhoneVerification<V extends FlowVerdict>(props: PhoneVerificationProps<V>) {
  const { texts, onVerified, onFailed, className, children, country, language, countries, format, ...options } = props
  const verification = useVerification({
    ...options,
    input: { ...(language && { locale: language }), ...options.input },
  })
  const { state, flow, send, submit } = verification
  const step = useStep(state)
  const id = useId()
  const [isEmpty, setEmpty] = useState(false)
  const [times, setTimes] = useState(0)
  const phone = useRef<HTMLInputElement>(null)
  const choice = useRef<HTMLSelectElement>(null)
  const code = useRef<HTMLInputElement>(null)
  const resend = useRef<HTMLButtonElement>(null)
  const status = useRef<HTMLParagraphElement>(null)
  const form = useRef<HTMLFormElement>(null)

  const check = useCallback(
    (typed: string) => {
      const before = flow().getSnapshot()
      if (code.current) code.current.value = readCode(typed) ?? typed
      void submit(typed)
      if (flow().getSnapshot() !== before || !before.can.submit) return
      // The same error occurred again, so it is announced again.
      setTimes((said) => said + 1)
      code.current?.focus()
    },
    [flow, submit],
  )

  useEffect(() => listenForMessages(flow(), check), [flow, check])
  useOutcome(state, { onVerified, onFailed })
  useEmptyField(state, code)
  const goals: Record<Step, RefObject<HTMLElement | null>> = { number: phone, code, over: resend, verified: status }
  useFocusOnStep(state, useHasFocus(form), goals[step])

  function submitted(event: FormEvent): void {
    event.preventDefault()
    if (step === 'code') check(code.current?.value ?? '')
    if (step !== 'number') return
    const number = wholeNumber(phone.current?.value ?? '', choice.current?.value ?? country)
    setEmpty(number === undefined)
    if (number !== undefined) void send(number)
    else {
      setTimes((said) => said + 1)
      phone.current?.focus()
    }
  }

  const number = { country, language, countries, format }
  const common = { verification, texts, number, step, id, isEmpty: isEmpty && step === 'number', times, check }
  return (
    <ScreenProvider value={{ ...common, phone, choice, code, resend, status }}>
      <form
        ref={form}
        className={className}
        data-part="screen"
        data-step={step}
        aria-busy={state.can.cancel}
        noValidate
        onSubmit={submitted}
      >
        {children ?? (
          <>
            <Status />
            <ChosenNumber />
            <PhoneField />
            <CodeField />
            <ErrorText />
            <SubmitButton />
            <ResendButton />
            <CancelButton />
          </>
        )}
      </form>
    </ScreenProvider>
  )
}
