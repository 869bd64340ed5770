/**
 * Amazon Cognito: the Lambda of the trigger "custom SMS sender". `url` and `secret` are those of a relay of the source `plain`;
 * `decrypt` opens the code with the AWS Encryption SDK and your KMS key.
 */
export const cognitoSmsSender =
  ({ url, secret, decrypt }) =>
  async ({ triggerSource, request: { code, userAttributes } }) => {
    if (!code) return
    const body = {
      to: userAttributes.phone_number,
      code: await decrypt(code),
      locale: userAttributes.locale,
      type: triggerSource.replace('CustomSMSSender_', ''),
    }
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(4_000),
    })
    if (!answer.ok) throw new Error(`Watchword refused: ${answer.status} ${(await answer.json()).error}`)
  }
