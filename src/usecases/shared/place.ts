/** Keyed hashes of where codes go and who asks for them: what is stored in the place of digits and addresses. */
import { networkOf } from '../../domain/access/network'
import type { Vault } from '../../ports/vault'

/** `digits`: a number without its last four. */
export const prefixHash = (vault: Pick<Vault, 'placeHash'>, digits: string): Uint8Array =>
  vault.placeHash(`prefix ${digits}`)

export const networkHash = (vault: Pick<Vault, 'placeHash'>, address: string): Uint8Array =>
  vault.placeHash(`network ${networkOf(address)}`)
