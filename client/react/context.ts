/** Context that the parts of a screen share. */
import { createContext, type RefObject, useContext } from 'react'
import type { FormatPhoneNumber } from '../screen/number'
import type { Step } from '../screen/step'
import type { Texts } from '../texts/texts'
import type { Verification } from './use-verification'

export interface NumberOptions {
  /** Country that is selected at first, such as `KR`. */
  country: string
  /** Language of the country names and their order; English when omitted. */
  language?: string | undefined
  /** Countries to choose from; all when omitted. */
  countries?: readonly string[] | undefined
  /** How numbers are written while they are typed; as they are typed when omitted. */
  format?: FormatPhoneNumber | undefined
}

export interface Screen {
  verification: Pick<Verification<unknown>, 'state' | 'resend' | 'cancel' | 'changeNumber'>
  texts: Texts
  number: NumberOptions
  step: Step
  /** Prefix of the ids of the parts. */
  id: string
  phone: RefObject<HTMLInputElement | null>
  choice: RefObject<HTMLSelectElement | null>
  code: RefObject<HTMLInputElement | null>
  resend: RefObject<HTMLButtonElement | null>
  status: RefObject<HTMLParagraphElement | null>
  /** The field was left empty. */
  isEmpty: boolean
  /** Raised each time a message is announced again. */
  times: number
  check: (code: string) => void
}

const Context = createContext<Screen | undefined>(undefined)

export const ScreenProvider = Context.Provider

export function useScreen(): Screen {
  const screen = useContext(Context)
  if (!screen) throw new Error('Parts of a verification screen are used within <PhoneVerification>')
  return screen
}
