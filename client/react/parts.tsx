/** Unstyled parts of a screen, marked by `data-part`. They are used within `<PhoneVerification>`. */
import { type CSSProperties, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { countriesIn, countryWith } from '../screen/countries'
import { formatNumber, readCodes } from '../screen/fields'
import { typedOf } from '../screen/number'
import { isWrong, type Said, saidIn, untilResend } from '../screen/step'
import { minutesOf, say } from '../texts/texts'
import { useScreen } from './context'

/** The country and the number. */
export function PhoneField() {
  const { verification, texts, number, step, id, isEmpty, phone, choice } = useScreen()
  const { country, language = 'en', countries, format } = number
  const { state } = verification
  const choices = useMemo(() => countriesIn(language, countries), [language, countries])
  const isInPage = useIsInPage()
  const shown = isInPage ? choices : choices.filter(({ code }) => code === country)
  const latest = useRef(format)
  useEffect(() => {
    latest.current = format
  })
  useEffect(() => {
    if (!phone.current || !choice.current) return
    const gone = new AbortController()
    formatNumber({ phone: phone.current, country: choice.current }, () => latest.current, gone.signal)
    return () => gone.abort()
  }, [phone, choice])
  // The number that was entered before a reload.
  useEffect(() => {
    const [field, select] = [phone.current, choice.current]
    if (!field || !select || field.value !== '' || state.phoneNumber === '') return
    select.value = countryWith(state.phoneNumber, select.value)
    field.value = typedOf(state.phoneNumber, select.value)
  }, [phone, choice, state.phoneNumber])
  const isBusy = state.can.cancel
  return (
    <div data-part="fields" hidden={step !== 'number'}>
      <div data-part="field" hidden={choices.length < 2}>
        <label htmlFor={`${id}country`}>{texts.country}</label>
        <select
          ref={choice}
          id={`${id}country`}
          data-part="country"
          autoComplete="country"
          defaultValue={country}
          disabled={isBusy}
        >
          {shown.map(({ code, name, callingCode }) => (
            <option key={code} value={code}>{`${isInPage ? name : code} +${callingCode}`}</option>
          ))}
        </select>
      </div>
      <div data-part="field">
        <label htmlFor={`${id}phone`}>{texts.phone_number}</label>
        <input
          ref={phone}
          id={`${id}phone`}
          data-part="phone"
          type="tel"
          autoComplete="tel-national"
          dir="ltr"
          required
          readOnly={isBusy}
          aria-invalid={step === 'number' && (isEmpty || isWrong(state))}
          aria-describedby={`${id}error`}
        />
      </div>
    </div>
  )
}

/** Names of countries may differ between server and browser, so the server renders none. */
const useIsInPage = () =>
  useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  )

/** One field for all six digits. A complete code is verified at once. */
export function CodeField() {
  const { verification, texts, step, id, code, check } = useScreen()
  const { state } = verification
  useEffect(() => {
    if (!code.current) return
    const gone = new AbortController()
    readCodes(code.current, check, gone.signal)
    return () => gone.abort()
  }, [code, check])
  return (
    <div data-part="field" hidden={step !== 'code'}>
      <label htmlFor={`${id}code`}>{texts.code}</label>
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
      <p id={`${id}hint`} data-part="hint">
        {texts.code_hint}
      </p>
    </div>
  )
}

/** The number a code was sent to, and a button to change it. */
export function ChosenNumber() {
  const { verification, texts, step } = useScreen()
  const { state, changeNumber } = verification
  return (
    <div data-part="chosen" hidden={step === 'number' || step === 'verified'}>
      <bdi dir="ltr">{state.phoneNumber}</bdi>
      <button {...button('change', state.can.changeNumber)} onClick={changeNumber}>
        {texts.change_number}
      </button>
    </div>
  )
}

/** Submits the number or the code. */
export function SubmitButton() {
  const { verification, texts, step } = useScreen()
  const { can } = verification.state
  const isCode = step === 'code'
  return (
    <button
      {...button('submit', isCode ? can.submit : can.send)}
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
  const waitMs = untilResend(state)
  return (
    <button
      {...button('resend', state.can.resend)}
      ref={resend}
      hidden={step === 'number' || step === 'verified'}
      onClick={() => void verification.resend()}
    >
      {texts.send_another}
      {waitMs > 0 && (
        <span data-part="countdown" aria-hidden>
          {` ${minutesOf(waitMs)}`}
        </span>
      )}
    </button>
  )
}

/** Cancels the running request. */
export function CancelButton() {
  const { verification, texts } = useScreen()
  return (
    <button {...button('cancel', true)} hidden={!verification.state.can.cancel} onClick={verification.cancel}>
      {texts.cancel}
    </button>
  )
}

/** Shows progress and success. */
export function Status() {
  const { id, status } = useScreen()
  const said = useSaid()
  return (
    <p ref={status} id={`${id}status`} data-part="status" role="status" tabIndex={-1}>
      {said && !said.isError && <Sentence {...said} />}
    </p>
  )
}

/** Shows errors. */
export function ErrorText() {
  const { id } = useScreen()
  const said = useSaid()
  return (
    <p id={`${id}error`} data-part="error" role="alert">
      {said?.isError && <Sentence {...said} />}
    </p>
  )
}

function useSaid(): (Said & { times: number }) | undefined {
  const { verification, isEmpty, times } = useScreen()
  const said: Said | undefined = isEmpty
    ? { isError: true, text: { key: 'invalid_phone_number' }, id: 'not sent' }
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
      <span style={HEARD_ONLY}>{first.current}</span>
    </>
  )
}

const HEARD_ONLY: CSSProperties = {
  position: 'absolute',
  inlineSize: 1,
  blockSize: 1,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
  whiteSpace: 'nowrap',
}

/** Not `disabled`, which would move the focus away from the button. */
const button = (part: string, may: boolean) => ({ type: 'button', 'data-part': part, 'aria-disabled': !may }) as const
