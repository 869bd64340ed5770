import { signOut } from './actions'
import { OTP_PUBLIC_KEY, OTP_URL, PURPOSE } from './otp'
import { signedInNumber } from './session'
import { SignUp } from './sign-up'

export default async function Page() {
  const phoneNumber = await signedInNumber()
  if (phoneNumber === undefined) return <SignUp url={OTP_URL} publicKey={OTP_PUBLIC_KEY} purpose={PURPOSE} />
  return (
    <>
      <h1>Welcome</h1>
      <p>
        You are signed in as <strong>{phoneNumber}</strong>.
      </p>
      <form action={signOut}>
        <button type="submit">Sign out</button>
      </form>
    </>
  )
}
