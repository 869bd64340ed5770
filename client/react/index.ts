/**
 * A phone verification screen for React: a hook over the flow, and its parts.
 *
 * ```tsx
 * const otp = createOtpClient({ baseUrl: 'https://otp.example.com/v1', apiKey: 'pk_…' })
 *
 * const SignUp = () => (
 *   <PhoneVerification transport={otp} purpose="signup" country="KR" texts={ko} onVerified={goOn} />
 * )
 * ```
 */
export type { FormatPhoneNumber } from '../screen/number'
export {
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
export { PhoneVerification, type PhoneVerificationProps } from './phone-verification'
export { useVerification, type Verification } from './use-verification'
