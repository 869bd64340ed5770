// Auth0: the Action of a custom phone provider. Its secrets: WATCHWORD_URL and WATCHWORD_SECRET of a relay of the source `plain`,
// and WATCHWORD_VOICE_URL of one whose plan is `voice`, with the same secret, where you offer calls.
exports.onExecuteCustomPhoneProvider = async ({ notification, request, secrets }, api) => {
  const url = notification.delivery_method === 'voice' ? secrets.WATCHWORD_VOICE_URL : secrets.WATCHWORD_URL
  // Some of its messages are news, such as a blocked account.
  if (!notification.code || !url) return api.notification.drop('Watchword is set up for codes by text only')
  const body = {
    to: notification.recipient,
    code: notification.code,
    text: notification.as_text,
    locale: notification.locale,
    type: notification.message_type,
    ip: request?.ip,
  }
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secrets.WATCHWORD_SECRET}` },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined)
  if (answer?.ok) return
  const reason = answer ? `${answer.status} ${(await answer.json()).error}`.slice(0, 1_024) : 'Watchword did not answer'
  if (!answer || answer.status === 429 || answer.status >= 500) return api.notification.retry(reason)
  return api.notification.drop(reason)
}
