/** A verification screen: the parts in a form, with focus management. */
import { type FormEvent, type ReactNode, type RefObject, useCallback, useEffect, useId, useRef, useState } from 'react'
import type { Failed, FlowOptions, FlowVerdict, Locked, ScreenChallenge, Verified } from '../flow'
import { readCode } from '../flow/code'
import type { Channel } from '../flow/internal-state'
import { directionOf } from '../screen/direction'
import type { PhoneField as Field } from '../screen/phone-field'
import type { Step } from '../screen/step'
import { listenForMessages } from '../screen/web-otp'
import type { Texts } from '../texts/texts'
import { type NumberOptions, ScreenProvider } from './context'
import {
  useChallenge,
  useEmptyField,
  useFocusOnStep,
  useHasFocus,
  useLooks,
  useOutcome,
  useScreenSettings,
  useStep,
} from './hooks'
import {
  CancelButton,
  Challenge,
  ChosenNumber,
  CodeField,
  Consent,
  ErrorText,
  OtherWayButton,
  PhoneField,
  ResendButton,
  Status,
  SubmitButton,
  Title,
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
  /** Shown above the heading. */
  logo?: ReactNode
  /** Colours: the page's when omitted, or those of the device with `auto`. */
  theme?: 'light' | 'dark' | 'auto' | undefined
  /** `card`, `round`, `square`, `compact`, or several of them. */
  preset?: string | undefined
  /** The parts have no looks. */
  unstyled?: boolean | undefined
  /** Channels that the user may choose from, the usual one first. */
  channels?: readonly Channel[] | undefined
  /** The widget for a proof of a human; that of the app's settings when omitted. */
  challenge?: ScreenChallenge | undefined
  /** Shows a line about costs and consent above the button. */
  consent?: boolean | undefined
  /** The parts in your order; all of them when omitted. */
  children?: ReactNode
}

export function PhoneVerification<V extends FlowVerdict>(props: PhoneVerificationProps<V>) {
  const { texts, onVerified, onFailed, className, children, country, language, countries, format, ...others } = props
  const { logo, theme, preset, unstyled = false, channels = [], consent = false, challenge, ...options } = others
  const verification = useVerification({
    ...options,
    input: { ...(language && { locale: language }), ...(channels[0] && { channel: channels[0] }), ...options.input },
  })
  const { state, flow, send, submit } = verification
  const step = useStep(state)
  const id = useId()
  const [unsent, setUnsent] = useState<'invalid_phone_number' | 'NETWORK_ERROR'>()
  const [times, setTimes] = useState(0)
  const phone = useRef<HTMLInputElement>(null)
  const field = useRef<Promise<Field>>(undefined)
  const code = useRef<HTMLInputElement>(null)
  const again = useRef<HTMLButtonElement>(null)
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

  useLooks(form, unstyled)
  useEffect(() => listenForMessages(flow(), check), [flow, check])
  useOutcome(state, { onVerified, onFailed })
  useEmptyField(state, code)
  const goals: Record<Step, RefObject<HTMLElement | null>> = { number: phone, code, over: again, verified: status }
  useFocusOnStep(state, useHasFocus(form), goals[step])

  function submitted(event: FormEvent): void {
    event.preventDefault()
    if (step === 'code') check(code.current?.value ?? '')
    if (step !== 'number') return
    void submitNumber()
  }

  async function submitNumber(token?: string): Promise<void> {
    const made = await field.current?.catch(() => undefined)
    const number = await made?.number()
    const isSent = number !== undefined
    setUnsent(isSent ? undefined : made ? 'invalid_phone_number' : 'NETWORK_ERROR')
    if (isSent) return void send(number, { challenge: token })
    setTimes((said) => said + 1)
    phone.current?.focus()
  }

  const settings = useScreenSettings(options.transport, countries !== undefined && challenge !== undefined)
  const widget = useRef<HTMLDivElement>(null)
  useChallenge(state, challenge ?? settings.challenge, widget, (token) =>
    step === 'number' ? submitNumber(token) : verification.resend({ challenge: token }),
  )
  const number = { country, language, countries: countries ?? settings.countries, format }
  const common = { verification, texts, number, step, id, channels, consent, times, check }
  const shown = step === 'number' ? unsent : undefined
  return (
    <ScreenProvider value={{ ...common, unsent: shown, phone, field, code, widget, resend: again, status }}>
      <form
        ref={form}
        className={className}
        data-part="screen"
        data-theme={theme}
        data-preset={preset}
        lang={language}
        dir={language && directionOf(language)}
        data-step={step}
        aria-busy={state.can.cancel}
        noValidate
        onSubmit={submitted}
      >
        <div data-part="layout">
          {children ?? (
            <>
              <div data-part="header">
                {logo}
                <Title />
                <ChosenNumber />
              </div>
              <PhoneField />
              <CodeField />
              <div data-part="messages">
                <Status />
                <ErrorText />
              </div>
              <Challenge />
              <Consent />
              <div data-part="actions">
                <SubmitButton />
                <ResendButton />
                <OtherWayButton />
                <CancelButton />
              </div>
            </>
          )}
        </div>
      </form>
    </ScreenProvider>
  )
}
