/** Whose data is meant, of all that is stored by keyed hashes. */
import { type Numbering, storedIdentity } from '../../domain/phone/phone'
import type { PhoneHashes } from '../../ports/store/phones'
import type { Vault } from '../../ports/vault'

/** A phone, and all under which it may be stored. */
export interface PhoneSought {
  /** E.164. */
  number: string
  hashes: PhoneHashes
}

/** Throws `invalid` for what is no number, or a test number: that is nobody's. */
export function seekPhone(vault: Pick<Vault, 'phoneHash'>, phoneNumber: string, numbering: Numbering): PhoneSought {
  const number = storedIdentity(phoneNumber, numbering)
  return { number, hashes: hashesOf(vault, number) }
}

/** The one place that knows how many hashes a phone has. */
const hashesOf = (vault: Pick<Vault, 'phoneHash'>, identity: string): PhoneHashes => [vault.phoneHash(identity)]

/** Enough of a keyed hash to recognise one; it tells no number. */
export const shownHash = ([hash]: PhoneHashes) =>
  Buffer.from(hash ?? [])
    .toString('hex')
    .slice(0, 12)
