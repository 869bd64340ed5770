/** Prices of messages. */
import { z } from 'zod'
import { act, leg, ok } from './base'

/** An empty carrier, country or channel stands for any. */
const price = z.object({
  ...{ carrier: z.string(), country: z.string(), channel: leg.or(z.literal('')) },
  /** ISO 4217. */
  currency: z.string(),
  /** A decimal number. */
  amount: z.string(),
  /** The first day it is valid. */
  validFrom: z.string(),
})

export const prices = {
  list: act('GET /prices', 'List what messages cost.', 'look', 'installation').output(
    z.object({ prices: z.array(price.extend({ priceId: z.string() })) }),
  ),
  set: act(
    'PUT /prices',
    'Set what messages cost. Replaces the price of the same messages from the same day.',
    'finance',
    'installation',
  )
    .input(price)
    .output(price.extend({ priceId: z.string() })),
  remove: act('DELETE /prices/{priceId}', 'Remove a price.', 'finance', 'installation')
    .input(z.object({ priceId: z.string() }))
    .output(ok),
}
