/** From one step of the screen to the next. */
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { Failed, FlowState, Locked, Verified } from '../flow'
import { isAtRest, type Step, stepOf } from '../screen/step'

/** While another code is being sent the screen stays where it was. */
export function useStep<V>(state: FlowState<V>): Step {
  const [before, setStep] = useState<Step>('number')
  const step = stepOf(state, before)
  if (step !== before) setStep(step)
  return step
}

/** Whether the person is within, and was not taken anywhere else since. */
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
      // Where nothing else has it, a button that is hidden now had it.
      if (relatedTarget instanceof Node && !element.contains(relatedTarget)) isUsed.current = false
    }
    element.addEventListener('focusin', comes, options)
    element.addEventListener('focusout', leaves, options)
    return () => gone.abort()
  }, [place])
  return isUsed
}

/** Takes the person to where the screen goes on; what was typed last is typed over. */
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

/** Another code is typed into an empty field. */
export function useEmptyField<V>({ status }: FlowState<V>, field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    if (field.current && (status === 'sending' || status === 'idle')) field.current.value = ''
  }, [status, field])
}

interface Outcomes<V> {
  onVerified: ((state: Verified<V>) => void) | undefined
  onFailed: ((state: Locked | Failed) => void) | undefined
}

/** Tells once of each time that it gets there. */
export function useOutcome<V>(state: FlowState<V>, { onVerified, onFailed }: Outcomes<V>): void {
  const told = useRef(state.status)
  useEffect(() => {
    if (state.status === told.current) return
    told.current = state.status
    if (state.status === 'verified') onVerified?.(state)
    if (state.status === 'locked' || state.status === 'failed') onFailed?.(state)
  })
}
