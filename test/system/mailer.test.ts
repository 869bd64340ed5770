/** Mail by SMTP, to a server on a real socket. */
import { expect, test } from 'bun:test'
import type { WaySettings } from '../../src/domain/operations/notice'
import { createMailer } from '../../src/system/mailer'
import { SmtpServer } from '../support/smtp-server'
import { HANGS_AFTER_MS } from '../support/until'
import { CA, CERT, KEY } from './certificate'

const TLS = { key: KEY, cert: CERT }
const MAIL = { id: 'one.began', subject: 'Credit is low', text: 'App demo has 3 credits left.\nAdd credit.' }

const send = ({ port }: SmtpServer, settings: Partial<WaySettings>, ca: string | undefined = CA) =>
  createMailer(ca).send(
    { host: '127.0.0.1', port, from: 'watchword@shop.example', to: 'duty@shop.example', ...settings },
    MAIL,
    HANGS_AFTER_MS,
  )

test('goes over TLS with account and password, and has an id by which a repeated one is known', async () => {
  await using server = await SmtpServer.start({ tls: TLS })
  expect(await send(server, { user: 'me', password: 'geheim' })).toBeUndefined()
  const [mail] = server.mails
  expect(mail?.wasSecure).toBe(true)
  expect(mail?.commands).toContain(`AUTH PLAIN ${Buffer.from('\0me\0geheim').toString('base64')}`)
  expect(mail?.commands.filter((line) => /^(MAIL|RCPT)/.test(line))).toEqual([
    'MAIL FROM:<watchword@shop.example>',
    'RCPT TO:<duty@shop.example>',
  ])
  expect(mail?.message).toContain('Message-ID: <one.began@watchword>')
  expect(mail?.message).toContain('Subject: Credit is low')
  expect(mail?.message).toContain('App demo has 3 credits left.')
})

test('changes to TLS where it is asked to, and sends nothing where the server cannot', async () => {
  await using server = await SmtpServer.start({ tls: TLS, upgrades: true })
  expect(await send(server, { security: 'starttls' })).toBeUndefined()
  expect(server.mails.map(({ wasSecure }) => wasSecure)).toEqual([true])
  await using plain = await SmtpServer.start()
  expect(await send(plain, { security: 'starttls' })).toBe('ETLS 502')
  expect(plain.mails).toEqual([])
  expect(await send(plain, { security: 'none' })).toBeUndefined()
})

test('trusts no certificate that nobody vouches for', async () => {
  await using server = await SmtpServer.start({ tls: TLS })
  expect(
    await createMailer().send(
      { host: '127.0.0.1', port: server.port, from: 'a@b.example', to: 'c@d.example' },
      MAIL,
      HANGS_AFTER_MS,
    ),
  ).toBeString()
  expect(server.mails).toEqual([])
})

test('a refusal is told by its codes, without the words of the server', async () => {
  await using server = await SmtpServer.start({ tls: TLS, taken: '554 duty@shop.example is unwanted' })
  expect(await send(server, {})).toBe('EMESSAGE 554')
  await using wrong = await SmtpServer.start({ tls: TLS, entered: '535 geheim is wrong' })
  expect(await send(wrong, { user: 'me', password: 'geheim' })).toBe('EAUTH 535')
})

test('is tried without a message', async () => {
  await using server = await SmtpServer.start({ tls: TLS })
  const settings = { host: '127.0.0.1', port: server.port, user: 'me', password: 'geheim' }
  expect(await createMailer(CA).verify(settings, HANGS_AFTER_MS)).toBeUndefined()
  expect(server.mails).toEqual([])
  await using wrong = await SmtpServer.start({ tls: TLS, entered: '535 no' })
  expect(await createMailer(CA).verify({ ...settings, port: wrong.port }, HANGS_AFTER_MS)).toBe('EAUTH 535')
})
