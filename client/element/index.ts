/**
 * `<watchword-verify>`, a phone verification screen in one element, for pages with any framework or none. Importing it
 * defines the element.
 *
 * ```html
 * <watchword-verify url="https://otp.example.com/v1" key="pk_…" purpose="signup"></watchword-verify>
 * ```
 */
import { define } from './element'

export type { FormatPhoneNumber } from '../screen/number'
export {
  define,
  type FailedDetail,
  type VerifiedDetail,
  WatchwordVerify,
  type WatchwordVerifyEventMap,
} from './element'

define()
