/** Hooks for steps of the screen: focus, field contents and callbacks. */
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type {
  Failed,
  FlowState,
  FlowTransport,
  FlowVerdict,
  Locked,
  ScreenChallenge,
  ScreenSettings,
  Verified,
} from '../flow'
import { isAtRest, needsChallenge, type Step, stepOf } from '../screen/step'

/** A later callback reads the value of the last render. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  return latest
}

/** The step of a state. It stays while another code is being sent. */
export function useStep<V>(state: FlowState<V>): Step {
  const [before, setStep] = useState<Step>('number')
  const step = stepOf(state, before)
  if (step !== before) setStep(step)
  return step
}

/** Before the first picture. On a server there is none. */
const useBeforePaint = globalThis.document ? useLayoutEffect : useEffect

/** Loads the looks. Until then nothing is seen, but it can have the focus. Without them the screen is shown all the same. */
export function useLooks(place: RefObject<HTMLElement | null>, isUnstyled: boolean): void {
  useBeforePaint(() => {
    const screen = place.current
    if (isUnstyled || !screen) return
    // Not by an attribute, which a policy of the page may forbid.
    screen.style.opacity = '0'
    Promise.all([import('../screen/adopt-style'), import('../screen/style')])
      .then(([{ adoptStyle }, { STYLE }]) => adoptStyle(screen, STYLE))
      .catch(() => {})
      .finally(() => {
        screen.style.opacity = ''
      })
  }, [place, isUnstyled])
}

/** Whether the focus is within the screen, or was there last. */
export function useHasFocus(place: RefObject<HTMLElement | null>): RefObject<boolean> {
  const isUsed = useRef(false)
  useEffect(() => {
    const element = place.current
    if (!element) return
    const gone = new AbortController()
    const options = { signal: gone.signal }
    const comes = () => {
      isUsed.current = true
    }
    const leaves = ({ relatedTarget }: FocusEvent) => {
      // Without a new target, the focus was on a button that is hidden now.
      if (relatedTarget instanceof Node && !element.contains(relatedTarget)) isUsed.current = false
    }
    element.addEventListener('focusin', comes, options)
    element.addEventListener('focusout', leaves, options)
    return () => gone.abort()
  }, [place])
  return isUsed
}

/** Moves the focus to the next field and selects its text. */
export function useFocusOnStep<V>(
  state: FlowState<V>,
  isUsed: RefObject<boolean>,
  goal: RefObject<HTMLElement | null>,
): void {
  const before = useRef(state.status)
  useEffect(() => {
    const isSomewhereElse = state.status !== before.current && isAtRest(state)
    before.current = state.status
    if (!isSomewhereElse || !isUsed.current) return
    goal.current?.focus()
    if (goal.current instanceof HTMLInputElement) goal.current.select()
  })
}

/** Clears the field for another code. */
export function useEmptyField<V>({ status }: FlowState<V>, field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    if (field.current && (status === 'sending' || status === 'idle')) field.current.value = ''
  }, [status, field])
}

interface Outcomes<V> {
  onVerified: ((state: Verified<V>) => void) | undefined
  onFailed: ((state: Locked | Failed) => void) | undefined
}

/** Calls back once each time the flow is verified or fails. */
export function useOutcome<V>(state: FlowState<V>, { onVerified, onFailed }: Outcomes<V>): void {
  const told = useRef(state.status)
  useEffect(() => {
    if (state.status === told.current) return
    told.current = state.status
    if (state.status === 'verified') onVerified?.(state)
    if (state.status === 'locked' || state.status === 'failed') onFailed?.(state)
  })
}

/** The settings of the key, as the service answers them. Where nothing is known, all countries are offered. */
export function useScreenSettings<V extends FlowVerdict>(
  transport: FlowTransport<V>,
  isGiven: boolean,
): ScreenSettings {
  const [settings, setSettings] = useState<ScreenSettings>({})
  const latest = useLatest(transport)
  useEffect(() => {
    if (isGiven) return
    const gone = new AbortController()
    const { signal } = gone
    latest.current
      .screen?.({ signal })
      .then((told) => told && !signal.aborted && setSettings(told))
      .catch(() => {})
    return () => gone.abort()
  }, [latest, isGiven])
  return settings
}

/** Shows the widget that the service asks for, and goes on with its token. */
export function useChallenge<V>(
  state: FlowState<V>,
  challenge: ScreenChallenge | undefined,
  place: RefObject<HTMLElement | null>,
  goOn: (token: string) => unknown,
): void {
  const isNeeded = needsChallenge(state)
  const latest = useLatest({ challenge, goOn })
  useEffect(() => {
    const { challenge } = latest.current
    if (!isNeeded || !challenge || !place.current) return
    let isGone = false
    const widget = place.current
    import('../screen/challenge')
      .then(({ tokenOf }) => tokenOf(challenge, widget))
      .then((token) => isGone || latest.current.goOn(token))
      .catch(reportError)
    return () => {
      isGone = true
    }
  }, [isNeeded, latest, place])
}
