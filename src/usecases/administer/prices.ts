/** Prices of messages at carriers. Decisions: "Usage". */
import { invalid, missing } from '../../domain/shared/error'
import { amountText, assertPrice, type MessagePrice, millionthsOf, PRICES_MAX } from '../../domain/wallet/message-price'
import { newId } from '../shared/id'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, invalidName, type MakingDependencies, NAME } from './shared'

/** `amount` is a decimal number as text. */
export interface WantedPrice extends Omit<MessagePrice, 'priceId' | 'millionths'> {
  amount: string
}

export type ShownPrice = WantedPrice & Pick<MessagePrice, 'priceId'>

const shown = ({ millionths, ...price }: MessagePrice): ShownPrice => ({ ...price, amount: amountText(millionths) })

/** Replaces the price of the same messages from the same day. Throws `invalid`. */
export async function setPrice(deps: MakingDependencies, { amount, ...wanted }: WantedPrice): Promise<ShownPrice> {
  if (wanted.carrier !== '' && !NAME.test(wanted.carrier)) throw invalidName('carrier')
  const price = { ...wanted, millionths: millionthsOf(amount) }
  assertPrice(price)
  const isSame = (known: MessagePrice) =>
    (['carrier', 'country', 'channel', 'validFrom'] as const).every((name) => known[name] === price[name])
  return deps.store.transaction(async (tx) => {
    // One change at a time, so that the limit holds.
    await tx.audit.lockLast()
    const known = await deps.store.read.prices.all()
    const replaced = known.find(isSame)
    if (!replaced && known.length >= PRICES_MAX)
      throw invalid('price', 'too_many', `at most ${PRICES_MAX} prices`, { max: PRICES_MAX })
    const saved = { priceId: replaced?.priceId ?? newId(deps.random, 'prc'), ...price }
    await tx.prices.save(saved)
    const { priceId, ...detail } = shown(saved)
    await writeAudit(deps, tx, 'price.set', priceId, detail)
    return shown(saved)
  })
}

export const listPrices = async ({ store }: Pick<AdminDependencies, 'store'>): Promise<ShownPrice[]> =>
  (await store.read.prices.all()).map(shown).sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))

const orderOf = ({ carrier, country, channel, validFrom }: ShownPrice) =>
  JSON.stringify([carrier, country, channel, validFrom])

/** Throws `not_found`. */
export async function removePrice(deps: AdminDependencies, priceId: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    if (!(await tx.prices.remove(priceId))) throw missing('price', priceId)
    await writeAudit(deps, tx, 'price.remove', priceId)
  })
}
