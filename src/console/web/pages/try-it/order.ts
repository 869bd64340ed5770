/** What is issued on the page: to whom, for what, how. */
import type { Channel } from '../../../../../contract/constants'
import { magicNumber } from '../../i18n/scenarios'

export interface TryItRequest {
  phoneNumber: string
  purpose: string
  /** Missing: as the scenario has it. */
  channel?: Channel
}

export const FIRST_ORDER: TryItRequest = { phoneNumber: magicNumber(0), purpose: 'signup' }

/** How a Korean magic number says its scenario, in any spelling. */
export function scenarioOfNumber(phoneNumber: string): number | undefined {
  const xx = /^(?:0|82)10000000(\d\d)$/.exec(phoneNumber.replace(/\D/g, ''))?.[1]
  return xx === undefined ? undefined : Number(xx)
}
