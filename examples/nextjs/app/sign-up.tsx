'use client'
import { createOtpClient } from '@watchword/client'
import { PhoneVerification } from '@watchword/client/react'
import { en } from '@watchword/client/texts'
import { useState } from 'react'
import { signIn } from './actions'

export function SignUp({ url, publicKey, purpose }: { url: string; publicKey: string; purpose: string }) {
  const [otp] = useState(() => createOtpClient({ baseUrl: url, apiKey: publicKey }))
  const [refused, setRefused] = useState({ times: 0, error: '' })

  async function goOn(proof: string | undefined) {
    // A proof is good for once: nothing of it stays in this tab.
    sessionStorage.clear()
    const error = await signIn(proof).catch(() => 'No answer. Please check your connection and try again.')
    if (error) setRefused(({ times }) => ({ times: times + 1, error }))
  }

  return (
    <>
      <h1>Sign up</h1>
      {refused.error && (
        <p className="error" role="alert">
          {refused.error}
        </p>
      )}
      <PhoneVerification
        key={refused.times}
        transport={otp}
        purpose={purpose}
        storage={globalThis.sessionStorage}
        country="GB"
        texts={en}
        onVerified={({ proof }) => void goOn(proof)}
      />
      {publicKey.startsWith('pk_test_') && (
        <p className="hint">Test mode: the number is +44&nbsp;7700&nbsp;900000, the code 000000.</p>
      )}
    </>
  )
}
