import { z } from 'zod'
import { LEGS } from '../../domain/shared/value'
import { systemClock } from '../../system/clock'
import { asLeg } from '../command'
import { iso, table } from '../output'
import { clientCommand, group, NO_INPUT, text } from './build'

const ANY = 'any'

export const priceCommands = () =>
  group('price', 'what messages cost at carriers, for reports of usage', 'set 9.9 KRW --carrier main --country KR', {
    set: clientCommand({
      summary: 'set a price; of the prices for a message the most specific one counts, from its day on',
      examples: ['9.9 KRW --carrier main --country KR', '0.0079 USD --carrier main --from 2026-12-01'],
      input: z.object({
        amount: z.string().describe('<amount>  for one message, such as 9.9'),
        currency: z.string().describe('<currency>  by ISO 4217, such as KRW'),
        carrier: text('--carrier <name>  only messages that this carrier accepted'),
        country: text('--country <code>  only messages to this country, for example KR'),
        channel: text(`--channel <channel>  only ${LEGS.join(', ')}`),
        validFrom: text('--from <day>  first day it is valid (default: today, UTC)'),
      }),
      run: (client, { carrier = '', country = '', channel, validFrom, ...wanted }) =>
        client.prices.set({
          ...{ ...wanted, carrier, country, channel: channel === undefined ? '' : asLeg(channel) },
          validFrom: validFrom ?? (iso(systemClock.now()) ?? '').slice(0, 10),
        }),
      lines: ({ priceId, amount, currency, carrier, country, channel, validFrom }) => [
        `Price ${priceId}: ${amount} ${currency} from ${validFrom} on`,
        `carrier ${carrier || ANY}, country ${country || ANY}, channel ${channel || ANY}`,
      ],
    }),
    list: clientCommand({
      summary: 'list the prices',
      ...NO_INPUT,
      run: (client) => client.prices.list(),
      lines: ({ prices }) =>
        table(
          ['PRICE', 'CARRIER', 'COUNTRY', 'CHANNEL', 'AMOUNT', 'FROM'],
          prices.map(({ priceId, carrier, country, channel, amount, currency, validFrom }) => [
            ...[priceId, carrier || ANY, country || ANY, channel || ANY, `${amount} ${currency}`, validFrom],
          ]),
          'No prices: reports count messages without cost. `watchword price set` sets one.',
        ),
    }),
    remove: clientCommand({
      summary: 'remove a price, also from reports of the past',
      examples: ['prc_4k2m9x0c7q1z --yes'],
      input: z.object({ priceId: z.string().describe('<price>  its id') }),
      confirmation: (_, { priceId }) => `Remove the price ${priceId}? Reports of the past change, too.`,
      run: async (client, { priceId }) => {
        await client.prices.remove({ priceId })
        return { priceId, removed: true }
      },
      lines: ({ priceId }) => [`Removed price ${priceId}`],
    }),
  })
