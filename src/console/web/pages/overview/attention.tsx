/** Subjects that need attention: incidents, carriers, credit, webhooks and the server. Those that customers feel come first. */
import { Group, Paper, Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { IconAlertOctagon, IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { LinkProps } from '@tanstack/react-router'
import { isCapIncident } from '../../../../abuse/rules/incident'
import type { Allowance } from '../../../../domain/access/api-key'
import { WEBHOOK_BACKLOG } from '../../../../domain/operations/job'
import { api, type client } from '../../api'
import { useFormats } from '../../i18n/format'
import { countryName, countryWithCode } from '../../i18n/names'
import { inWords, useLanguage, useWords } from '../../i18n/words'
import { safetyNet } from '../../live'
import { AsWritten, RowLink } from '../../parts/text'
import { Time } from '../../parts/time'
import { useApps } from '../../scope'
import { useSeesAllApps } from '../../session'
import { whyDisabled } from '../webhooks/endpoint-state'
import type { Report } from './report'

const words = inWords({
  en: {
    title: 'Needs attention',
    well: 'Nothing needs attention.',
    levels: { affects: 'Customers are affected', warns: 'Warning' },
    since: 'since',
  },
  ko: {
    title: '확인이 필요합니다',
    well: '확인이 필요한 문제가 없습니다.',
    levels: { affects: '고객에게 영향', warns: '주의' },
    since: '시작',
  },
})

const LEVELS = {
  affects: { icon: IconAlertOctagon, color: 'red' },
  warns: { icon: IconAlertTriangle, color: 'yellow' },
} as const
type Level = keyof typeof LEVELS

interface Concern {
  key: string
  /** `affects`: codes are refused or do not arrive now. */
  level: Level
  title: string
  about?: string | undefined
  since?: number | undefined
  to: NonNullable<LinkProps['to']>
  search?: NonNullable<LinkProps['search']>
}

/** `report` is missing while it is loaded. */
export function Attention({ report }: { report: Report | undefined }) {
  const say = useWords(words)
  const seesAllApps = useSeesAllApps()
  const system = useQuery(api.system.show.queryOptions({ refetchInterval: safetyNet, enabled: seesAllApps })).data
  const inReport = useReportConcerns()
  const inSystem = useSystemConcerns()
  if (!report || (seesAllApps && !system)) return <Skeleton height={48} radius="md" />
  const concerns = [...inReport(report), ...(system ? inSystem(system) : [])]
  const inOrder = [...concerns.filter(({ level }) => level === 'affects'), ...concerns.filter(isWarning)]
  if (inOrder.length === 0)
    return (
      <Group gap={6} role="status">
        {/* Green would say that no customer is refused. */}
        <Text c={report.refused.total === 0 ? 'teal' : 'dimmed'} lh={0} component="span">
          <IconCircleCheck size={18} aria-hidden />
        </Text>
        <Text size="sm" c="dimmed">
          {say.well}
        </Text>
      </Group>
    )
  return (
    <Paper component="section" withBorder p={{ base: 'sm', sm: 'md' }} role="status">
      <Title order={2} mb="xs">
        {say.title}
      </Title>
      <Stack component="ul" gap="sm">
        {inOrder.map(({ key, ...concern }) => (
          <ConcernRow key={key} {...concern} />
        ))}
      </Stack>
    </Paper>
  )
}

const isWarning = ({ level }: Concern) => level === 'warns'

function ConcernRow({ level, title, about, since, to, search = {} }: Omit<Concern, 'key'>) {
  const say = useWords(words)
  const { icon: LevelIcon, color } = LEVELS[level]
  return (
    <Group component="li" gap="xs" wrap="nowrap" align="flex-start">
      <Text c={color} lh={0} pt={2} component="span">
        <LevelIcon size={18} aria-hidden />
        <VisuallyHidden>{say.levels[level]}:</VisuallyHidden>
      </Text>
      <Stack gap={0} flex={1} miw={0}>
        <AsWritten size="sm" component="span">
          <RowLink to={to} search={search}>
            {title}
          </RowLink>
        </AsWritten>
        {(about !== undefined || since !== undefined) && (
          <AsWritten size="sm" c="dimmed" component="span">
            {about}
            {since !== undefined && (
              <>
                {about !== undefined && ' · '}
                {say.since} <Time at={since} relative />
              </>
            )}
          </AsWritten>
        )}
      </Stack>
    </Group>
  )
}

const reportWords = inWords({
  en: {
    incident: (app: string, where: string) => `${app}: low conversion of codes to ${where} (SMS pumping)`,
    capped: (app: string, where: string) => `${app}: codes to ${where} exceed a cap`,
    countries: (count: string) => `${count} countries`,
    more: (count: string) => `${count} more`,
    noCountry: 'numbers without a country',
    refusing: (count: string) => `Refused so far: ${count}.`,
    watching: (count: string) => `Watch only: ${count} would be refused.`,
    unusual: (app: string) => `${app}: more codes are refused than usual`,
    unusualAbout: (lately: string, usual: string) => `${lately} within an hour, usually at most ${usual}.`,
    noCredit: (app: string) => `${app}: the credit is used up, so live codes are refused`,
    credit: (app: string, left: string) => `${app}: ${left} credits are left`,
    lasts: (days: string) => `They last ${days} at the pace of the last seven days.`,
    carrier: (name: string) => `The circuit breaker of carrier ${name} is open`,
    noReason: 'It did not accept messages.',
    open: (key: string, may: readonly string[]) => `A live browser key may ${may.join(' and ')}: ${key}`,
    may: { from: 'set the sender', text: 'write any text' } satisfies Record<Allowance, string>,
    disabled: (app: string) => `${app}: a webhook endpoint is disabled`,
    failing: (app: string) => `${app}: a webhook endpoint is failing`,
    warned: (app: string) => `${app}: a webhook endpoint is blocked by the server's settings`,
  },
  ko: {
    incident: (app, where) => `${app}: ${where}(으)로 보낸 인증번호의 전환율이 낮습니다(SMS 펌핑)`,
    capped: (app, where) => `${app}: ${where}(으)로 보내는 인증번호가 상한을 넘었습니다`,
    countries: (count) => `${count}개 국가`,
    more: (count) => `외 ${count}곳`,
    noCountry: '국가를 알 수 없는 번호',
    refusing: (count) => `지금까지 ${count}건을 거부했습니다.`,
    watching: (count) => `모니터링만 하는 중이며 ${count}건은 거부 대상입니다.`,
    unusual: (app) => `${app}: 평소보다 많은 인증번호를 거부하고 있습니다`,
    unusualAbout: (lately, usual) => `한 시간에 ${lately}건, 평소에는 많아야 ${usual}건입니다.`,
    noCredit: (app) => `${app}: 크레딧을 모두 써서 운영 인증번호를 거부합니다`,
    credit: (app, left) => `${app}: 남은 크레딧 ${left}`,
    lasts: (days) => `지난 7일의 속도라면 ${days} 동안 쓸 수 있습니다.`,
    carrier: (name) => `발송사 ${name}의 서킷 브레이커가 열려 있습니다`,
    noReason: '메시지를 접수하지 않았습니다.',
    open: (key, may) => `운영용 브라우저 키로 ${may.join('하고 ')}할 수 있습니다: ${key}`,
    may: { from: '발신자를 지정', text: '임의의 문구를 입력' },
    disabled: (app) => `${app}: 사용 중지된 웹훅 엔드포인트가 있습니다`,
    failing: (app) => `${app}: 전송에 실패하는 웹훅 엔드포인트가 있습니다`,
    warned: (app) => `${app}: 서버 설정으로 차단된 웹훅 엔드포인트가 있습니다`,
  },
})

/** Credit that lasts shorter is told without an alert, too. */
const SOON_DAYS = 3

function useReportConcerns(): (report: Report) => Concern[] {
  const say = useWords(reportWords)
  const formats = useFormats()
  const apps = useApps()
  const incidentsIn = useIncidentConcerns()
  const nameOf = (appId: string) => apps.find((app) => app.appId === appId)?.name ?? appId
  return ({ incidents, refused, carriers, apps: reports, endpoints, openKeys }) => [
    ...incidentsIn(incidents, nameOf),
    ...refused.unusual.map(({ appId, lately, usual }): Concern => {
      const about = say.unusualAbout(formats.number(lately), formats.number(usual))
      const search = { app: appId, group: 'rule' }
      return {
        key: `refused-${appId}`,
        level: 'affects',
        title: say.unusual(nameOf(appId)),
        about,
        to: '/protection',
        search,
      }
    }),
    ...carriers
      .filter(({ state }) => state === 'unhealthy')
      .map(({ name, explanation, code, since }): Concern => {
        const about = explanation ?? code ?? say.noReason
        return { key: `carrier-${name}`, level: 'affects', title: say.carrier(name), about, since, to: '/providers' }
      }),
    ...reports
      .filter(({ available, alertBelow = 0, daysLeft = Infinity }) => available < alertBelow || daysLeft < SOON_DAYS)
      .map(({ appId, available, daysLeft }): Concern => {
        const at = { key: `credit-${appId}`, to: '/wallet', search: { app: appId } } as const
        if (daysLeft === 0) return { ...at, level: 'affects', title: say.noCredit(nameOf(appId)) }
        const title = say.credit(nameOf(appId), formats.number(available))
        return {
          ...at,
          level: 'warns',
          title,
          about: daysLeft === undefined ? undefined : say.lasts(formats.days(daysLeft)),
        }
      }),
    ...endpoints.map(({ appId, endpointId, url, enabled, failingSince, warning, mode, ...endpoint }): Concern => {
      const at = { key: endpointId, level: 'warns', to: '/webhooks', search: { app: appId, mode } } as const
      if (!enabled) return { ...at, title: say.disabled(nameOf(appId)), about: `${url}: ${whyDisabled(endpoint)}` }
      if (warning !== undefined) return { ...at, title: say.warned(nameOf(appId)), about: url }
      return { ...at, title: say.failing(nameOf(appId)), about: url, since: failingSince }
    }),
    ...openKeys.map(({ appId, keyId, shown, allows }): Concern => {
      const title = say.open(
        shown,
        allows.map((what) => say.may[what]),
      )
      return {
        key: keyId,
        level: 'warns',
        title,
        about: nameOf(appId),
        to: '/keys',
        search: { app: appId, mode: 'live' },
      }
    }),
  ]
}

type OpenIncident = Report['incidents'][number]

/** A longer list would hide what else there is. */
const MOST_NAMED = 5

/** The same trouble of one app is one concern, in however many countries. */
function useIncidentConcerns(): (incidents: readonly OpenIncident[], nameOf: (appId: string) => string) => Concern[] {
  const say = useWords(reportWords)
  const formats = useFormats()
  const language = useLanguage()
  const stateOf = ({ isBlocked }: OpenIncident) => (isBlocked ? 'refusing' : 'watching')
  return (incidents, nameOf) => {
    const groups = Map.groupBy(incidents, (one) => `${one.appId}/${isCapIncident(one)}/${stateOf(one)}`)
    return [...groups].flatMap(([key, group]): Concern[] => {
      const [first] = group
      if (!first) return []
      const countries = [...new Set(group.map(({ country }) => country))]
      const names = countries.map((country) => (country === '' ? say.noCountry : countryName(country, language)))
      const more = names.length > MOST_NAMED ? [say.more(formats.number(names.length - MOST_NAMED))] : []
      const [only] = countries
      const one = only ? countryWithCode(only, language) : say.noCountry
      const where = countries.length === 1 ? one : say.countries(formats.number(countries.length))
      const state = stateOf(first)
      const doing = say[state](formats.number(group.reduce((sum, { refused }) => sum + refused, 0)))
      const list = new Intl.ListFormat(language).format([...names.slice(0, MOST_NAMED), ...more])
      return [
        {
          key,
          level: state === 'watching' ? 'warns' : 'affects',
          title: (isCapIncident(first) ? say.capped : say.incident)(nameOf(first.appId), where),
          about: countries.length === 1 ? doing : `${list}. ${doing}`,
          since: Math.min(...group.map(({ since }) => since)),
          to: '/protection',
          search: { app: first.appId },
        },
      ]
    })
  }
}

const systemWords = inWords({
  en: {
    database: 'The database is not writable',
    dispatcher: 'Delivery has stopped',
    dispatcherAbout: 'The dispatcher has not polled the queue in the last seconds.',
    silent: (name: string) => `Server ${name} has sent no heartbeat`,
    silentAbout: 'It did not shut down cleanly. Other servers do its work.',
    webhooks: (waiting: string) => `${waiting} webhook events are waiting for delivery`,
    backlog: (due: string) => `${due} jobs are overdue`,
    oldest: (age: string) => `The oldest one by ${age}.`,
  },
  ko: {
    database: '데이터베이스에 쓸 수 없습니다',
    dispatcher: '발송이 멈춰 있습니다',
    dispatcherAbout: '디스패처가 최근 몇 초 동안 대기열을 확인하지 않았습니다.',
    silent: (name) => `서버 ${name}이(가) 응답하지 않습니다`,
    silentAbout: '정상적으로 종료되지 않았습니다. 다른 서버가 작업을 이어받았습니다.',
    webhooks: (waiting) => `웹훅 이벤트 ${waiting}건이 전송을 기다리고 있습니다`,
    backlog: (due) => `처리가 늦어진 작업이 ${due}건 있습니다`,
    oldest: (age) => `가장 오래된 작업은 ${age}째 대기 중입니다.`,
  },
})

/** Some jobs are always due for a moment. */
const OVERDUE_MS = 60_000

function useSystemConcerns(): (system: Awaited<ReturnType<typeof client.system.show>>) => Concern[] {
  const say = useWords(systemWords)
  const formats = useFormats()
  return ({ checks, queue, nodes }) => {
    const at = { to: '/system' } as const
    const late = queue.filter(({ oldestDueMs }) => oldestDueMs > OVERDUE_MS)
    const oldestMs = Math.max(0, ...late.map(({ oldestDueMs }) => oldestDueMs))
    const waiting = queue.find(({ kind }) => kind === 'webhook')?.waiting ?? 0
    const due = late.reduce((sum, kind) => sum + kind.due, 0)
    const silent = nodes.filter(({ state }) => state === 'silent')
    return [
      checks.database ? [] : { ...at, key: 'database', level: 'affects' as const, title: say.database },
      checks.dispatcher
        ? []
        : { ...at, key: 'dispatcher', level: 'affects' as const, title: say.dispatcher, about: say.dispatcherAbout },
      silent.map(({ id, name, seenAt }) => {
        return {
          ...at,
          key: id,
          level: 'warns' as const,
          title: say.silent(name),
          about: say.silentAbout,
          since: seenAt,
        }
      }),
      waiting > WEBHOOK_BACKLOG
        ? { ...at, key: 'webhooks', level: 'warns' as const, title: say.webhooks(formats.number(waiting)) }
        : [],
      late.length > 0
        ? {
            ...{ ...at, key: 'backlog', level: 'affects' as const },
            ...{ title: say.backlog(formats.number(due)), about: say.oldest(formats.wait(oldestMs)) },
          }
        : [],
    ].flat()
  }
}
