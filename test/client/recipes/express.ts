import { verifyWebhook, WebhookVerificationError } from '@watchword/client/webhook'
import express from 'express'

const secret = process.env.OTP_WEBHOOK_SECRET ?? ''
const app = express()

// In front of any `app.use(express.json())`: the signature is over the body as it came.
app.post('/webhooks/otp', express.raw({ type: 'application/json' }), async (request, response) => {
  try {
    const event = await verifyWebhook({ body: request.body, headers: request.headers, secret })
    if (event.type === 'otp.verified') console.log(`${event.data.id} is verified`)
    response.sendStatus(204)
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    response.status(400).json({ reason: error.reason })
  }
})

export default app
