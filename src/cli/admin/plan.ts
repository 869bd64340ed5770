import { z } from 'zod'
import { type DeliveryPlan, LEGS_MAX, type PlannedLeg, RESENDS, WAIT_SEC } from '../../domain/delivery/plan'
import { invalid } from '../../domain/shared/error'
import { CHANNELS, isLeg, LEGS } from '../../domain/shared/value'
import { asChannel } from '../command'
import { table } from '../output'
import { APP_ARGUMENT, clientCommand, group, text } from './build'

/** As typed on the command line. */
const scope = APP_ARGUMENT.extend({
  channel: z.string().describe(`<channel>  the requested channel: ${CHANNELS.join(' or ')}`),
  country: text('--country <code>  only this country, for example KR'),
})

/** `whatsapp:8`: the channel, and the seconds after which the next leg starts. */
function legOf(typed: string): PlannedLeg {
  const [channel = '', wait, ...rest] = typed.trim().split(':')
  const waitSec = wait === undefined ? undefined : Number(wait)
  if (rest.length > 0 || Number.isNaN(waitSec))
    throw invalid('legs', 'invalid_format', `not a leg: ${typed.trim()}; write whatsapp:8 or sms`)
  if (!isLeg(channel))
    throw invalid('legs', 'invalid_format', `no such channel: ${channel}; there are ${LEGS.join(', ')}`)
  return { channel, ...(waitSec !== undefined && { waitSec }) }
}

export const legsOf = (typed: string): PlannedLeg[] => typed.split(',').map(legOf)

export const textOfLegs = (legs: readonly PlannedLeg[]) =>
  legs.map(({ channel, waitSec }) => (waitSec === undefined ? channel : `${channel} for ${waitSec} s`)).join(', then ')

type PlanLine = Omit<DeliveryPlan, 'country' | 'resend'> & {
  country?: string | undefined
  resend?: DeliveryPlan['resend'] | undefined
}

const lineOf = ({ channel, country, legs, resend }: PlanLine) =>
  `${channel}${country ? ` to ${country}` : ''}: ${textOfLegs(legs)}${resend === 'first' ? '; again from the first leg' : ''}`

export const planCommands = () =>
  group(
    'plan',
    'delivery plans: the channels of a code, and when the next one starts',
    'set app_4k2m9x0c7q1z sms whatsapp:8,sms',
    {
      set: clientCommand({
        summary: 'set the delivery plan of an app for the requested channel',
        examples: [
          'app_4k2m9x0c7q1z sms whatsapp:8,sms:30,voice',
          'app_4k2m9x0c7q1z alimtalk alimtalk:20,sms --country KR',
        ],
        input: scope.extend({
          legs: z
            .string()
            .describe(
              `<legs>  1 to ${LEGS_MAX} of ${LEGS.join(', ')}, separated by commas; \`:8\` starts the next one after 8 seconds without a delivery (${WAIT_SEC.min} to ${WAIT_SEC.max})`,
            ),
          resend: z
            .enum(RESENDS)
            .optional()
            .describe(
              '--resend <leg>  where a code begins that is asked for again: with the `next` leg (default), or the `first`',
            ),
        }),
        run: async (client, { appId, channel, country, legs, resend }) => {
          const plan = { channel: asChannel(channel), country, legs: legsOf(legs), resend }
          await client.apps.setPlan({ appId, ...plan })
          return plan
        },
        lines: (plan) => [lineOf(plan)],
      }),
      list: clientCommand({
        summary: 'list the delivery plans of an app; a channel without one uses its own legs',
        examples: ['app_4k2m9x0c7q1z'],
        input: APP_ARGUMENT,
        run: async (client, { appId }) => ({ plans: (await client.apps.show({ appId })).plans ?? [] }),
        lines: ({ plans }) =>
          table(
            ['CHANNEL', 'COUNTRY', 'LEGS'],
            plans.map(({ channel, country = 'any', legs }) => [channel, country, textOfLegs(legs)]),
            'No plans: `sms` goes by SMS, `alimtalk` by AlimTalk and then SMS. `watchword plan set` changes that.',
          ),
      }),
      remove: clientCommand({
        summary: 'remove a delivery plan',
        examples: ['app_4k2m9x0c7q1z sms --country KR --yes'],
        input: scope,
        confirmation: async (client, { appId, channel, country }) => {
          const { plans = [] } = await client.apps.show({ appId })
          const known = plans.find((plan) => plan.channel === channel && plan.country === country)
          return known && `Remove the plan ${lineOf(known)}?`
        },
        run: async (client, { appId, channel, country }) => {
          const plan = { channel: asChannel(channel), country }
          await client.apps.removePlan({ appId, ...plan })
          return { ...plan, removed: true }
        },
        lines: () => ['Removed'],
      }),
    },
  )
