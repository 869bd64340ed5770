/** Whether anybody between here and the database can read along, or take its place. */
import { findings, type SharedInstallation, type Wrong } from './finding'

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']
const ADVICE =
  'Add sslmode=verify-full to WATCHWORD_DATABASE_URL, and sslrootcert=FILE where its authority is your own.'

export function checkTls({ server: { name, encryption, checking } }: SharedInstallation) {
  const warn = (message: string): Wrong[] => [{ state: 'warn', message, advice: ADVICE }]
  const isHere = LOOPBACK.includes(new URL(name).hostname)
  if (encryption === undefined) {
    const message = 'The connection to the database is not encrypted'
    return findings('tls', isHere ? [] : warn(`${message}.`), `${message}, and does not leave this machine.`)
  }
  const unchecked = {
    'no TLS': `The connection is encrypted (${encryption}), but nothing asks for that.`,
    nothing: `The connection is encrypted (${encryption}) with whoever answers: no certificate is looked at.`,
    'the certificate': `The connection is encrypted (${encryption}) with anybody whom the authority vouches for: the name is not looked at.`,
  }
  const wrong = checking === 'certificate and name' ? [] : warn(unchecked[checking])
  return findings('tls', wrong, `The connection is encrypted (${encryption}), and certificate and name are right.`)
}
