/** Checks that live messages have a carrier and credit. */
import { isActive } from '../../domain/access/api-key'
import type { App } from '../../domain/access/app'
import type { CarrierConfig } from '../../domain/delivery/carrier'
import { isSilent, refusedLately, WHY_REFUSED } from '../../domain/delivery/report-tally'
import { needsCountry } from '../../domain/delivery/route'
import { CHANNELS, type Channel, type Leg } from '../../domain/shared/value'
import type { Reader } from '../../ports/store'
import { type Check, findings, type Wrong } from './finding'

const NAMES: Readonly<Record<Channel, string>> = { sms: 'SMS', alimtalk: 'AlimTalk' }

export const checkCarriers: Check = async ({ store: { read }, now }) => {
  const providers = await read.carriers.all()
  const live = await appsWithLiveKeys(read, now)
  const wrong = [
    ...(await Promise.all(CHANNELS.map((channel) => channelWrong(read, channel, live)))).flat(),
    ...(await legsWrong(read, live)),
    ...(await restingCarriers(read)),
    ...(await refusedReports(read, now)),
    ...providers.flatMap(pausedCarrier),
    ...(await withoutCredit(read, live)),
  ]
  const names = providers.map(({ name }) => name).join(', ')
  return findings('carriers', wrong, `${names} serve; apps with live keys have credit.`)
}

async function appsWithLiveKeys(read: Reader, now: number): Promise<App[]> {
  const apps = await read.apps.all()
  const keys = await Promise.all(apps.map(({ appId }) => read.keys.ofApp(appId)))
  return apps.filter((_, index) => keys[index]?.some((key) => key.mode === 'live' && isActive(key, now)))
}

/** Legs of delivery plans that no carrier can carry are passed over without a word. */
async function legsWrong(read: Reader, live: readonly App[]): Promise<Wrong[]> {
  const routes = await read.routes.all()
  const serving = (await read.carriers.all()).flatMap(({ channels }) => channels)
  return live.flatMap(({ appId, name, plans = [] }) =>
    plans.flatMap(({ channel, country, legs }) => {
      const plan = `The plan of ${name} (${appId}) for ${channel}${country === undefined ? '' : ` to ${country}`}`
      const isOpen = (leg: Leg) =>
        !needsCountry(leg) ||
        routes.some((route) => route.channel === leg && (country ?? route.country) === route.country)
      return legs.flatMap(({ channel: leg }): Wrong[] => {
        if (!serving.includes(leg))
          return [
            {
              state: 'warn',
              message: `${plan} has a leg by ${leg}, and no carrier serves it: that leg is passed over.`,
              advice: '`watchword provider set` adds a carrier, `watchword plan set` leaves the leg out.',
            },
          ]
        if (isOpen(leg)) return []
        return [
          {
            state: 'warn',
            message: `${plan} has a leg by ${leg}, and no country is open for it: that leg is passed over.`,
            advice: `watchword route set ${leg} CARRIER --country ${country ?? 'CC'}`,
          },
        ]
      })
    }),
  )
}

/** AlimTalk is required only if an app has a template for it. */
async function channelWrong(read: Reader, channel: Channel, live: ReadonlyArray<{ appId: string }>): Promise<Wrong[]> {
  const templates = (await Promise.all(live.map(({ appId }) => read.templates.ofApp(appId)))).flat()
  const isWanted = channel === 'sms' || templates.some(({ channelSupport }) => channelSupport.includes(channel))
  const serving = (await read.carriers.all())
    .filter(({ channels, pausedAt }) => pausedAt === undefined && channels.includes(channel))
    .map(({ name }) => name)
  const routed = (await read.routes.all()).find(
    (route) => route.channel === channel && route.country === undefined && route.appId === undefined,
  )
  const used = serving.filter((name) => routed === undefined || routed.carriers.includes(name))
  if (used.length === 0) {
    if (!isWanted) return []
    const isUrgent = live.length > 0
    return [
      {
        state: isUrgent ? 'problem' : 'warn',
        message: `No carrier serves ${NAMES[channel]}${isUrgent ? ', and there are live keys' : ': only test keys work'}.`,
        advice: '`watchword provider set` adds one, `watchword route set` chooses among them.',
      },
    ]
  }
  // AlimTalk without a carrier falls back to SMS.
  if (used.length > 1 || channel === 'alimtalk') return []
  return [
    {
      state: 'warn',
      message: `${NAMES[channel]} has one carrier only, ${used[0]}: while its circuit breaker is open, messages wait.`,
      advice: 'Add a second one to fall back to.',
    },
  ]
}

function pausedCarrier({ name, pausedAt }: CarrierConfig): Wrong[] {
  if (pausedAt === undefined) return []
  return [
    {
      state: 'warn',
      message: `${name} is paused since ${new Date(pausedAt).toISOString()}: it gets no new message.`,
      advice: `\`watchword provider resume ${name}\` ends that.`,
    },
  ]
}

async function restingCarriers(read: Reader): Promise<Wrong[]> {
  const health = await read.carriers.health()
  return [...health]
    .filter(([, { isHealthy }]) => !isHealthy)
    .map(([name, { since, code }]) => ({
      state: 'warn',
      message: `The server found ${name} unhealthy since ${new Date(since).toISOString()}${code ? ` (${code})` : ''}.`,
      advice: `\`watchword provider test ${name} --to NUMBER\` shows what it answers.`,
    }))
}

/** Without reports a code counts as sent, and nobody learns that it did not arrive. */
async function refusedReports(read: Reader, now: number): Promise<Wrong[]> {
  return [...(await read.carriers.reports())].flatMap(([name, tally]): Wrong[] => {
    const refused = refusedLately(tally, now).filter(({ reason }) => reason !== 'unmatched' || isSilent(tally, now))
    if (refused.length === 0 && !isSilent(tally, now)) return []
    const why = refused.map(({ reason, times }) => `${times} refused: ${WHY_REFUSED[reason]}`).join('; ')
    const last = tally.recordedAt === undefined ? 'never' : new Date(tally.recordedAt).toISOString()
    return [
      {
        state: 'warn',
        message: `${name} reported last: ${last}. ${tally.accepted} messages were accepted since${why === '' ? '' : `; ${why}`}.`,
        advice: `Compare the report URL and the secret at the carrier: \`watchword provider types\` names its settings.`,
      },
    ]
  })
}

async function withoutCredit(read: Reader, live: ReadonlyArray<{ appId: string; name: string }>): Promise<Wrong[]> {
  const wallets = await Promise.all(live.map(({ appId }) => read.wallets.find(appId)))
  return live.flatMap(({ appId, name }, index) => {
    const { balance = 0, reserved = 0, overdraftLimit = 0 } = wallets[index] ?? {}
    if (balance - reserved + overdraftLimit > 0) return []
    return [
      {
        state: 'problem',
        message: `${name} (${appId}) has live keys and no credit: its issues are refused with 402.`,
        advice: `watchword credit add --app ${appId} --amount N`,
      } satisfies Wrong,
    ]
  })
}
