/** Warnings: low credit, open circuit breakers, failing webhooks, a backlog. */
import { Alert, Anchor, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { isCapIncident } from '../../../../abuse/rules/incident'
import type { Allowance } from '../../../../domain/access/api-key'
import { WEBHOOK_BACKLOG } from '../../../../domain/operations/job'
import { api, type client } from '../../api'
import { useFormats } from '../../i18n/format'
import { countryWithCode } from '../../i18n/names'
import { inWords, useLanguage, useWords } from '../../i18n/words'
import { AsWritten } from '../../parts/text'
import { type ShownMode, useApps } from '../../scope'
import { whyDisabled } from '../webhooks/endpoint-state'

const words = inWords({
  en: { title: 'Needs attention', well: 'Nothing needs attention.', look: 'Look' },
  ko: { title: '확인이 필요합니다', well: '확인이 필요한 문제가 없습니다.', look: '확인하기' },
})

export function Warnings({ appId, mode }: { appId: string; mode: ShownMode }) {
  const say = useWords(words)
  const concerns = useConcerns(appId, mode)
  if (concerns === undefined) return null
  if (concerns.length === 0)
    return (
      <Group gap={6} role="status">
        <Text c="teal" lh={0} component="span">
          <IconCircleCheck size={18} aria-hidden />
        </Text>
        <Text size="sm" c="dimmed">
          {say.well}
        </Text>
      </Group>
    )
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={say.title} role="status">
      <Stack component="ul" gap="xs">
        {concerns.map(({ key, text, to, search = {} }) => (
          <Group component="li" key={key} gap="xs">
            <AsWritten size="sm">{text}</AsWritten>
            <Anchor
              component={Link}
              to={to}
              search={search}
              size="sm"
              c="var(--mantine-color-text)"
              aria-label={`${say.look}: ${text}`}
              underline="always"
            >
              {say.look}
            </Anchor>
          </Group>
        ))}
      </Stack>
    </Alert>
  )
}

interface Concern {
  key: string
  text: string
  to: NonNullable<LinkProps['to']>
  /** Mode of the linked page, if it differs from the current one. */
  search?: NonNullable<LinkProps['search']>
}

const concernsWords = inWords({
  en: {
    incident: (app: string, country: string, doing: string) =>
      `${app}: low conversion of codes to ${country} (SMS pumping). ${doing}`,
    capped: (app: string, country: string, doing: string) => `${app}: codes to ${country} exceed a cap. ${doing}`,
    paused: (until: string) => `Nothing is sent there until ${until}.`,
    refusing: (count: string) => `Refused so far: ${count}.`,
    watching: (count: string) => `Watch only: ${count} would be refused.`,
    noCountry: 'numbers without a country',
    unusual: (lately: string, usual: string) =>
      `More codes are refused than usual: ${lately} within an hour, usually at most ${usual}.`,
    credit: (left: string) => `Only ${left} credits are left.`,
    carrier: (name: string, why: string) => `The circuit breaker of carrier ${name} is open: ${why}`,
    noReason: 'it did not accept messages.',
    open: (key: string, may: readonly string[]) => `A live browser key may ${may.join(' and ')}: ${key}`,
    may: { from: 'set the sender', text: 'write any text' } satisfies Record<Allowance, string>,
    disabled: (url: string, why: string) => `Webhook endpoint ${url} is disabled: ${why}`,
    failing: (url: string) => `Webhook endpoint ${url} is failing.`,
    warned: (url: string) => `Webhook endpoint ${url} is blocked by the server's settings.`,
    webhooks: (waiting: string) => `${waiting} webhook events are waiting for delivery.`,
    backlog: (due: string, age: string) => `${due} jobs are overdue, the oldest by ${age}.`,
    database: 'The database is not writable.',
    dispatcher: 'Delivery has stopped: the dispatcher has not polled the queue in the last seconds.',
    silent: (name: string, since: string) =>
      `Server ${name} has sent no heartbeat since ${since} and did not shut down cleanly. Other servers do its work.`,
    minutes: (count: string) => `${count} min`,
  },
  ko: {
    incident: (app, country, doing) => `${app}: ${country}(으)로 보낸 인증번호의 전환율이 낮습니다(SMS 펌핑). ${doing}`,
    capped: (app, country, doing) => `${app}: ${country}(으)로 보내는 인증번호가 상한을 넘었습니다. ${doing}`,
    paused: (until) => `${until}까지 보내지 않습니다.`,
    refusing: (count) => `지금까지 ${count}건을 거부했습니다.`,
    watching: (count) => `모니터링만 하는 중이며 ${count}건은 거부 대상입니다.`,
    noCountry: '국가를 알 수 없는 번호',
    unusual: (lately, usual) =>
      `평소보다 많은 인증번호를 거부하고 있습니다. 한 시간에 ${lately}건, 평소에는 많아야 ${usual}건입니다.`,
    credit: (left) => `남은 크레딧이 ${left}뿐입니다.`,
    carrier: (name, why) => `발송사 ${name}의 서킷 브레이커가 열려 있습니다: ${why}`,
    noReason: '메시지를 접수하지 않았습니다.',
    open: (key, may) => `운영용 브라우저 키로 ${may.join('하고 ')}할 수 있습니다: ${key}`,
    may: { from: '발신자를 지정', text: '임의의 문구를 입력' },
    disabled: (url, why) => `웹훅 엔드포인트 ${url} 사용 중지: ${why}`,
    failing: (url) => `웹훅 엔드포인트 ${url} 전송에 실패하고 있습니다.`,
    warned: (url) => `웹훅 엔드포인트 ${url} 전송이 서버 설정으로 차단되어 있습니다.`,
    webhooks: (waiting) => `웹훅 이벤트 ${waiting}건이 전송을 기다리고 있습니다.`,
    backlog: (due, age) => `처리가 늦어진 작업이 ${due}건 있습니다. 가장 오래된 작업은 ${age}째 대기 중입니다.`,
    database: '데이터베이스에 쓸 수 없습니다.',
    dispatcher: '발송이 멈춰 있습니다. 디스패처가 최근 몇 초 동안 대기열을 확인하지 않았습니다.',
    silent: (name, since) => `서버 ${name}이(가) ${since} 이후 응답이 없습니다. 다른 서버가 작업을 이어받았습니다.`,
    minutes: (count) => `${count}분`,
  },
})

const LOOK_MS = 5_000
/** Some jobs are always due for a moment. */
const OVERDUE_MS = 60_000

/** Undefined while loading. */
function useConcerns(appId: string, mode: ShownMode): Concern[] | undefined {
  const say = useWords(concernsWords)
  const formats = useFormats()
  const look = { refetchInterval: LOOK_MS }
  const incidentsIn = useIncidentsInWords()
  const [incidents, refused, wallet, carriers, keys, webhooks, system] = useQueries({
    queries: [
      api.protection.open.queryOptions({ ...look }),
      api.protection.refused.queryOptions({ input: { appId }, ...look }),
      api.wallet.show.queryOptions({ input: { appId }, ...look }),
      api.carriers.list.queryOptions({ ...look }),
      api.keys.list.queryOptions({ input: { appId }, ...look }),
      api.webhooks.list.queryOptions({ input: { appId }, ...look }),
      api.system.show.queryOptions({ ...look }),
    ],
  })
  if (!incidents.data || !refused.data || !wallet.data || !carriers.data) return undefined
  if (!keys.data || !webhooks.data || !system.data) return undefined
  const { available, alertBelow } = wallet.data
  const { isUnusual, lately, usual } = refused.data
  const { checks, queue, nodes } = system.data
  const late = queue.filter(({ oldestDueMs }) => oldestDueMs > OVERDUE_MS)
  const oldestMs = Math.max(0, ...late.map(({ oldestDueMs }) => oldestDueMs))
  const webhooksWaiting = queue.find(({ kind }) => kind === 'webhook')?.waiting ?? 0
  const due = late.reduce((sum, kind) => sum + kind.due, 0)
  const concerns: (Concern | undefined)[] = [
    // Covers all apps, because incidents cost money.
    ...incidentsIn(incidents.data.incidents),
    isUnusual
      ? {
          key: 'refused',
          text: say.unusual(formats.number(lately), formats.number(usual)),
          to: '/protection',
          search: { group: 'rule' },
        }
      : undefined,
    checks.database ? undefined : { key: 'database', text: say.database, to: '/system' },
    checks.dispatcher ? undefined : { key: 'dispatcher', text: say.dispatcher, to: '/system' },
    ...nodes
      .filter(({ state }) => state === 'silent')
      .map(({ id, name, seenAt }): Concern => {
        return { key: `server-${id}`, text: say.silent(name, formats.time(seenAt)), to: '/system' }
      }),
    alertBelow !== undefined && available < alertBelow
      ? { key: 'credit', text: say.credit(formats.number(available)), to: '/wallet' }
      : undefined,
    ...carriers.data.providers
      .filter(({ state }) => state === 'unhealthy')
      .map(({ name, explanation, code }): Concern => {
        return {
          key: `carrier-${name}`,
          text: say.carrier(name, explanation ?? code ?? say.noReason),
          to: '/providers',
        }
      }),
    ...keys.data.keys
      .filter(({ isOpen }) => isOpen)
      .map(({ keyId, shown, allows }): Concern => {
        const may = allows.map((what) => say.may[what])
        return { key: keyId, text: say.open(shown, may), to: '/keys', search: { mode: 'live' } }
      }),
    ...webhooks.data.endpoints
      .filter((endpoint) => endpoint.mode === mode)
      .map(({ endpointId, url, enabled, failingSince, warning, ...endpoint }): Concern | undefined => {
        const about = { key: endpointId, to: '/webhooks' } as const
        if (!enabled) return { ...about, text: say.disabled(url, whyDisabled(endpoint)) }
        if (warning !== undefined) return { ...about, text: say.warned(url) }
        return failingSince === undefined ? undefined : { ...about, text: say.failing(url) }
      }),
    webhooksWaiting > WEBHOOK_BACKLOG
      ? { key: 'webhooks', text: say.webhooks(formats.number(webhooksWaiting)), to: '/system' }
      : undefined,
    late.length > 0
      ? {
          key: 'backlog',
          text: say.backlog(formats.number(due), say.minutes(formats.number(Math.ceil(oldestMs / 60_000)))),
          to: '/system',
        }
      : undefined,
  ]
  return concerns.filter((concern) => concern !== undefined)
}

type OpenIncident = Awaited<ReturnType<typeof client.protection.open>>['incidents'][number]

/** Keeps other warnings visible; each app's page lists all of its own. */
const MOST_INCIDENTS = 10

function useIncidentsInWords(): (incidents: readonly OpenIncident[]) => Concern[] {
  const say = useWords(concernsWords)
  const formats = useFormats()
  const language = useLanguage()
  const apps = useApps()
  const doing = ({ pausedUntil, isBlocked, refused }: OpenIncident) => {
    if (pausedUntil !== undefined && pausedUntil > Date.now()) return say.paused(formats.time(pausedUntil))
    return (isBlocked ? say.refusing : say.watching)(formats.number(refused))
  }
  return (incidents) =>
    incidents
      .flatMap((incident): Concern[] => {
        const { incidentId, appId, country } = incident
        // The endpoint was removed.
        const app = apps.find((one) => one.appId === appId)
        if (!app) return []
        const where = country === '' ? say.noCountry : countryWithCode(country, language)
        const text = (isCapIncident(incident) ? say.capped : say.incident)(app.name, where, doing(incident))
        return [{ key: incidentId, text, to: '/protection', search: { app: appId } }]
      })
      .slice(0, MOST_INCIDENTS)
}
