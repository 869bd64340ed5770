/** Issues of these worlds, as the product makes them. */
import type { RequestFacts } from '../../src/abuse/rules/assess'
import { prefixOf } from '../../src/domain/phone/phone'
import type { Issue } from '../../src/domain/verification/issue'
import { createVault } from '../../src/system/vault'
import { anIssue } from '../domain/sample'
import { type SeededRandom, seededRandom } from '../support/random'
import { SECRET } from '../support/world'
import type { Asked } from './service'

export const APP_ID = 'app_one'
export const PRICE = 1
export const LIFETIME_SEC = 300

export type Making = Pick<SeededRandom, 'uuid'>

interface Order {
  facts: RequestFacts
  phoneHash: Uint8Array
  /** Made of it where it is let in; most is not. */
  issue: () => Issue
}

const keys = seededRandom(1)
/**
 * Also of the product, where what people did before is stored. Phones are counted by their hashes, so the keys are the same
 * each time.
 */
export const vault = createVault(Buffer.from(SECRET), (length) => keys.bytes(length))

export function orderOf({ kind, phone, country, address }: Asked, random: Making, now: number): Order {
  const digits = prefixOf(phone)
  const phoneHash = vault.phoneHash(phone)
  const prefixHash = vault.prefixHash(digits)
  const networkHash = vault.networkHash(address)
  const facts: RequestFacts = {
    ...{ kind, home: 'KR', country, address, digits },
    ...{ phone: phoneHash.toHex(), prefix: prefixHash.toHex(), network: networkHash.toHex() },
  }
  const issue = () =>
    anIssue({
      ...{ appId: APP_ID, issueId: random.uuid(now), messageId: random.uuid(now), keyKind: kind, country },
      ...{ phoneHash, prefixHash, networkHash, price: PRICE, deliveryStatus: 'sent', sendPending: false },
      ...{ createdAt: now, updatedAt: now, expiresAt: now + LIFETIME_SEC * 1_000 },
    })
  return { facts, phoneHash, issue }
}
