/** Parts of a screen, marked by `data-part`. They are used within `<PhoneVerification>`. */
import { useEffect, useRef } from 'react'
import { markBox, readCodes } from '../screen/fields'
import { flagOf } from '../screen/flag'
import { shake } from '../screen/motion'
import {
  aroundNumber,
  countdownOf,
  isWrong,
  needsChallenge,
  otherWayOf,
  resendText,
  type Said,
  saidIn,
  TICK,
  titleOf,
} from '../screen/step'
import { minutesOf, say } from '../texts/texts'
import { useScreen } from './context'
import { useLatest } from './hooks'

/** The heading of the step, and a tick at the end. */
export function Title() {
  const { texts, step } = useScreen()
  if (step === 'verified')
    return (
      <svg data-part="tick" viewBox="0 0 48 48" width={56} height={56} fill="none" stroke="currentColor" aria-hidden>
        {TICK.map((d) => (
          <path key={d} d={d} pathLength={1} />
        ))}
      </svg>
    )
  return <h2 data-part="title">{texts[titleOf(step)]}</h2>
}

/** The country and the number. The list of countries is loaded once the field is in the page. */
export function PhoneField() {
  const { verification, texts, number, step, id, unsent, phone, field } = useScreen()
  const { country, language = 'en', countries, format } = number
  const { state } = verification
  const box = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const flag = useRef<HTMLSpanElement>(null)
  const callingCode = useRef<HTMLSpanElement>(null)
  const settings = { texts, language, country, countries, format }
  const latest = useLatest(settings)
  const { phoneNumber } = state
  useEffect(() => {
    const gone = new AbortController()
    const made = import('../screen/phone-field').then(({ PhoneField }) => {
      if (!box.current || !button.current || !flag.current || !callingCode.current || !phone.current)
        throw new Error('The field is gone')
      const nodes = {
        ...{ box: box.current, button: button.current, flag: flag.current },
        ...{ callingCode: callingCode.current, phone: phone.current },
      }
      return new PhoneField(nodes, latest.current, gone.signal)
    })
    made.catch(() => {})
    field.current = made
    return () => gone.abort()
  }, [phone, field, latest])
  const key = JSON.stringify([language, country, countries])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list may be another array each time
  useEffect(() => {
    field.current?.then((made) => made.set(latest.current)).catch(() => {})
  }, [field, latest, key, texts, format])
  // The number that was entered before a reload.
  useEffect(() => {
    field.current?.then((made) => made.recall(phoneNumber)).catch(() => {})
  }, [field, phoneNumber])
  const isBusy = state.can.cancel
  return (
    <div data-part="field" hidden={step !== 'number'}>
      <label htmlFor={`${id}phone`} data-part="label">
        {texts.phone_number}
      </label>
      <div ref={box} data-part="box" dir="ltr">
        <button
          ref={button}
          type="button"
          data-part="country"
          aria-label={texts.country}
          aria-haspopup="dialog"
          aria-disabled={isBusy}
        >
          <span ref={flag} data-part="flag" aria-hidden>
            {flagOf(country)}
          </span>
          <span ref={callingCode} data-part="calling-code" />
        </button>
        <input
          ref={phone}
          id={`${id}phone`}
          data-part="phone"
          type="tel"
          autoComplete="tel"
          dir="ltr"
          required
          readOnly={isBusy}
          aria-invalid={step === 'number' && (unsent === 'invalid_phone_number' || isWrong(state))}
          aria-describedby={`${id}error`}
        />
      </div>
    </div>
  )
}

/** The line about costs and consent, where `consent` asks for it. */
export function Consent() {
  const { texts, consent, step } = useScreen()
  return consent && step === 'number' && <p data-part="consent">{texts.consent}</p>
}

/** One field for all six digits, which stand in six boxes. A complete code is verified at once. */
export function CodeField() {
  const { verification, texts, step, id, code, check } = useScreen()
  const { state } = verification
  useEffect(() => {
    if (!code.current) return
    const gone = new AbortController()
    markBox(code.current, gone.signal)
    readCodes(code.current, check, gone.signal)
    return () => gone.abort()
  }, [code, check])
  return (
    <div data-part="field code-field" hidden={step !== 'code'}>
      <label htmlFor={`${id}code`} data-part="spoken">
        {texts.code}
      </label>
      <div data-part="boxes">
        {CELLS.map((cell) => (
          <span key={cell} data-part="cell" />
        ))}
        <input
          ref={code}
          id={`${id}code`}
          data-part="code"
          type="text"
          inputMode="numeric"
          autoComplete="one-time-code"
          autoCapitalize="off"
          spellCheck={false}
          dir="ltr"
          required
          readOnly={state.can.cancel}
          aria-invalid={step === 'code' && isWrong(state)}
          aria-describedby={`${id}hint ${id}error`}
        />
      </div>
      <p id={`${id}hint`} data-part="spoken hint">
        {texts.code_hint}
      </p>
    </div>
  )
}

const CELLS = [0, 1, 2, 3, 4, 5]

/** The number a code was sent to, and a button to change it. */
export function ChosenNumber() {
  const { verification, texts, step } = useScreen()
  const { state, changeNumber } = verification
  const [before, after] = aroundNumber(state, texts.sent_to)
  return (
    <p data-part="chosen" hidden={step === 'number' || step === 'verified'}>
      {before}
      <bdi data-part="number" dir="ltr">
        {state.phoneNumber}
      </bdi>
      {after}{' '}
      <button {...button('change', 'link', state.can.changeNumber)} onClick={changeNumber}>
        {texts.change_number}
      </button>
    </p>
  )
}

/** The widget of a challenge, where the service asks for one. */
export function Challenge() {
  const { verification, widget } = useScreen()
  return <div ref={widget} data-part="challenge" hidden={!needsChallenge(verification.state)} />
}

/** Submits the number or the code. */
export function SubmitButton() {
  const { verification, texts, step } = useScreen()
  const { can } = verification.state
  const isCode = step === 'code'
  return (
    <button
      {...button('submit', 'main', isCode ? can.submit : can.send)}
      type="submit"
      hidden={step === 'over' || step === 'verified'}
    >
      {isCode ? texts.submit : texts.send}
    </button>
  )
}

/** Requests another code. The remaining wait is shown, but not announced. */
export function ResendButton() {
  const { verification, texts, step, resend } = useScreen()
  const { state } = verification
  const waitMs = countdownOf(state)
  return (
    <button
      {...button('resend', step === 'over' ? 'main' : 'link', state.can.resend)}
      ref={resend}
      hidden={step === 'number' || step === 'verified'}
      onClick={() => void verification.resend()}
    >
      {texts[resendText(state)]}
      {waitMs > 0 && (
        <span data-part="countdown" aria-hidden>
          {` ${minutesOf(waitMs)}`}
        </span>
      )}
    </button>
  )
}

/** Requests another code by another channel, where there is one. */
export function OtherWayButton() {
  const { verification, texts, step, channels } = useScreen()
  const { state } = verification
  const channel = otherWayOf(state, channels)
  if (!channel || step === 'number' || step === 'verified') return null
  return (
    <button {...button('other', 'link', state.can.resend)} onClick={() => void verification.resend({ channel })}>
      {texts[`by_${channel}`]}
    </button>
  )
}

/** Cancels the running request. */
export function CancelButton() {
  const { verification, texts } = useScreen()
  return (
    <button {...button('cancel', 'link', true)} hidden={!verification.state.can.cancel} onClick={verification.cancel}>
      {texts.cancel}
    </button>
  )
}

/** Shows progress and success. */
export function Status() {
  const { id, status } = useScreen()
  const said = useSaid()
  return (
    <p
      ref={status}
      id={`${id}status`}
      data-part="status"
      data-quiet={said?.text.key === 'code_sent' ? '' : undefined}
      role="status"
      tabIndex={-1}
    >
      {said && !said.isError && <Sentence {...said} />}
    </p>
  )
}

/** Shows errors, and shakes the field at fault. */
export function ErrorText() {
  const { id, step, phone, code } = useScreen()
  const said = useSaid()
  const at = step === 'code' ? code : phone
  const sentence = said?.isError ? `${said.id} ${said.times}` : undefined
  useEffect(() => {
    if (sentence !== undefined) shake(at.current?.parentElement)
  }, [sentence, at])
  return (
    <p id={`${id}error`} data-part="error" role="alert">
      {said?.isError && <Sentence {...said} />}
    </p>
  )
}

function useSaid(): (Said & { times: number }) | undefined {
  const { verification, unsent, times } = useScreen()
  const said: Said | undefined = unsent
    ? { isError: true, text: { key: unsent }, id: 'not sent' }
    : saidIn(verification.state)
  return said && { ...said, times }
}

/** Screen readers announce new texts, but not each second of a countdown. */
const Sentence = ({ text, id, times }: Said & { times: number }) => <Words key={`${id} ${times}`} text={text} />

function Words({ text }: Pick<Said, 'text'>) {
  const { texts } = useScreen()
  const first = useRef(say(texts, text))
  if (text.waitMs === undefined) return <span>{say(texts, text)}</span>
  return (
    <>
      <span aria-hidden>{say(texts, text)}</span>
      <span data-part="spoken" style={HEARD_ONLY}>
        {first.current}
      </span>
    </>
  )
}

/** Also without our styles. */
const HEARD_ONLY = { position: 'absolute', clipPath: 'inset(50%)' } as const

/** Not `disabled`, which would move the focus away from the button. */
const button = (part: string, look: 'main' | 'link', may: boolean) =>
  ({ type: 'button', 'data-part': `button ${part}`, 'data-look': look, 'aria-disabled': !may }) as const
