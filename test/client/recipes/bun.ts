import { verifyWebhook, WebhookVerificationError } from '@watchword/client/webhook'

const secret = process.env.OTP_WEBHOOK_SECRET ?? ''

export default {
  routes: {
    '/webhooks/otp': {
      async POST(request: Request) {
        try {
          const event = await verifyWebhook({ body: await request.text(), headers: request.headers, secret })
          if (event.type === 'otp.verified') console.log(`${event.data.id} is verified`)
          return new Response(null, { status: 204 })
        } catch (error) {
          if (!(error instanceof WebhookVerificationError)) throw error
          return Response.json({ reason: error.reason }, { status: 400 })
        }
      },
    },
  },
  fetch: () => new Response(null, { status: 404 }),
}
