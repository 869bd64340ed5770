/** Context that the parts of a screen share. */
import { createContext, type RefObject, useContext } from 'react'
import type { Channel } from '../flow/internal-state'
import type { FormatPhoneNumber } from '../screen/number'
import type { PhoneField } from '../screen/phone-field'
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
  /** How numbers are written while they are typed; as people of the country do when omitted. */
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
  /** Undefined until it is loaded. */
  field: RefObject<Promise<PhoneField> | undefined>
  code: RefObject<HTMLInputElement | null>
  resend: RefObject<HTMLButtonElement | null>
  status: RefObject<HTMLParagraphElement | null>
  /** The element in which the widget of a challenge is drawn. */
  widget: RefObject<HTMLDivElement | null>
  /** Channels to choose from, the usual one first. */
  channels: readonly Channel[]
  /** A line about costs and consent is shown. */
  consent: boolean
  /** Why the number was not sent. */
  unsent: 'invalid_phone_number' | 'NETWORK_ERROR' | undefined
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
