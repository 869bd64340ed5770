/**
 * Amazon Cognito: three Lambdas of a custom authentication challenge. Watchword makes and checks the code; Cognito believes the
 * proof. The user's app answers the challenge with it. `verifyProof` is made by `createProofVerifier` of `@watchword/client/server`.
 */
export const defineAuthChallenge = async (event) => {
  const { session, userNotFound } = event.request
  const isProven = session.at(-1)?.challengeResult === true
  event.response.issueTokens = isProven && !userNotFound
  // One try: a proof is right or wrong.
  event.response.failAuthentication = !event.response.issueTokens && (session.length > 0 || userNotFound === true)
  if (session.length === 0) event.response.challengeName = 'CUSTOM_CHALLENGE'
  return event
}

export const createAuthChallenge = async (event) => {
  event.response.publicChallengeParameters = { wanted: 'proof' }
  // Cognito wants one; the proof carries its own answer.
  event.response.privateChallengeParameters = { wanted: 'proof' }
  return event
}

export const verifyAuthChallengeResponse = (verifyProof) => async (event) => {
  const { challengeAnswer, userAttributes } = event.request
  event.response.answerCorrect = await verifyProof(challengeAnswer).then(
    ({ phoneNumber }) => phoneNumber === userAttributes.phone_number,
    (error) => {
      if (error.name === 'ProofError') return false
      throw error
    },
  )
  return event
}
