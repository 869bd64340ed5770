/** Mail by SMTP. Certificates are always verified; where TLS is asked for, nothing is sent without it. */
import type { Transporter } from 'nodemailer'
import type { WaySettings } from '../domain/operations/notice'
import type { Mailer } from '../ports/network'

/** Ports by RFC 8314 and RFC 6409. */
const PORTS = { tls: 465, starttls: 587, none: 25 } as const

/** `ca`: certificates to trust instead of the usual authorities. */
export function createMailer(ca?: string): Mailer {
  async function using(
    { host, security = 'tls', port = PORTS[security], user, password }: WaySettings,
    timeoutMs: number,
    work: (transport: Transporter) => Promise<unknown>,
  ): Promise<string | undefined> {
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      ...{
        host,
        port,
        secure: security === 'tls',
        requireTLS: security === 'starttls',
        ignoreTLS: security === 'none',
      },
      ...(user !== undefined && { auth: { user, pass: password } }),
      tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true, ...(ca !== undefined && { ca }) },
      ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    })
    try {
      await work(transport)
      return undefined
    } catch (error) {
      return reasonOf(error)
    } finally {
      transport.close()
    }
  }
  return {
    send: (settings, { id, ...mail }, timeoutMs) =>
      using(settings, timeoutMs, (transport) => {
        const { from, to } = settings
        return transport.sendMail({ from, to, ...mail, messageId: `<${id}@watchword>` })
      }),
    verify: (settings, timeoutMs) => using(settings, timeoutMs, (transport) => transport.verify()),
  }
}

/** The code of the failure and that of the server, whose text may quote addresses. */
function reasonOf(error: unknown): string {
  const { code = 'ESMTP', responseCode } = error as { code?: string; responseCode?: number }
  return responseCode === undefined ? code : `${code} ${responseCode}`
}
