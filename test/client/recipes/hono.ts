import { verifyWebhook, WebhookVerificationError } from '@watchword/client/webhook'
import { Hono } from 'hono'

const secret = process.env.OTP_WEBHOOK_SECRET ?? ''
const app = new Hono()

app.post('/webhooks/otp', async (c) => {
  try {
    const event = await verifyWebhook({ body: await c.req.text(), headers: c.req.raw.headers, secret })
    if (event.type === 'otp.verified') console.log(`${event.data.id} is verified`)
    return c.body(null, 204)
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    return c.json({ reason: error.reason }, 400)
  }
})

export default app
