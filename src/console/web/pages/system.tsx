import { Badge, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../api'
import { useFormats } from '../i18n/format'
import { frameWords } from '../i18n/frame'
import { inWords, useWords } from '../i18n/words'
import { safetyNet } from '../live'
import { CopyBlock } from '../parts/copy'
import { Loading } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { Section } from '../parts/section'
import { AsWritten } from '../parts/text'
import { Time } from '../parts/time'
import { NodeTable, QueueTable } from './system/tables'

const words = inWords({
  en: {
    about: 'The state of this server and its queue.',
    server: 'Server',
    version: 'Version',
    uptime: 'Running for',
    size: 'Database',
    url: 'Public URL',
    noUrl: 'Not set',
    checks: 'Checks',
    database: 'Database is writable',
    dispatcher: 'Dispatcher polls the queue',
    well: 'OK',
    ill: 'Failing',
    backups: 'Backups',
    command: 'Command',
    lastBackup: 'Last backup',
    noBackup: 'None yet',
    backupSize: 'Size',
    backupCount: 'Kept',
    nextBackup: 'Next one',
    failedBackup: 'Failed',
    backupHow: 'Created by this command, for example every night, or by the server itself at WATCHWORD_BACKUP_AT:',
    nodes: 'Servers',
    nodesAbout: 'They share one database. When a server is silent, the others do its work.',
    forget: (name: string) => `Forget ${name} if it does not come back`,
    connections: 'Connections of this server',
    inUse: (busy: string, size: string) => `${busy} of ${size} in use`,
    waitingForOne: 'Waiting for a connection',
    ownMeans:
      'Back up PostgreSQL with its own tools: its archive, or this command every night. A backup is useless without WATCHWORD_SECRET.',
    queue: 'Queue',
    queueAbout: 'Unfinished jobs. A job that waits for its scheduled time is not late.',
  },
  ko: {
    about: '서버 상태와 지금 처리할 작업입니다.',
    server: '서버',
    version: '버전',
    uptime: '가동 시간',
    size: '데이터베이스',
    url: '공개 URL',
    noUrl: '설정되지 않음',
    checks: '상태 점검',
    database: '데이터베이스 쓰기',
    dispatcher: '디스패처의 대기열 확인',
    well: '정상',
    ill: '이상',
    backups: '백업',
    command: '명령',
    lastBackup: '마지막 백업',
    noBackup: '아직 없음',
    backupSize: '크기',
    backupCount: '보관 중',
    nextBackup: '다음 백업',
    failedBackup: '실패',
    backupHow: '다음 명령을 매일 밤 실행하거나, WATCHWORD_BACKUP_AT에 정한 시각에 서버가 직접 만듭니다.',
    nodes: '서버 목록',
    forget: (name) => `${name}이(가) 돌아오지 않으면 목록에서 지우기`,
    connections: '이 서버의 연결',
    inUse: (busy: string, size: string) => `${size}개 중 ${busy}개 사용 중`,
    waitingForOne: '연결을 기다리는 작업',
    nodesAbout: '하나의 데이터베이스를 함께 사용합니다. 응답이 없는 서버의 작업은 다른 서버가 이어서 처리합니다.',
    ownMeans:
      '데이터베이스는 PostgreSQL의 방법으로 백업합니다. 아카이브를 쓰거나 매일 밤 다음 명령을 실행하세요. WATCHWORD_SECRET이 없으면 쓸 수 없습니다.',
    queue: '대기열',
    queueAbout: '아직 끝나지 않은 작업입니다. 예정 시각을 기다리는 작업은 지연된 것이 아닙니다.',
  },
})

export default function System() {
  const say = useWords(words)
  const common = useWords(frameWords)
  const formats = useFormats()
  const system = useQuery(api.system.show.queryOptions({ refetchInterval: safetyNet }))
  const uptime = useUptime(system.data?.startedAt)
  if (!system.data)
    return (
      <>
        <PageHeader title={common.pages.system} about={say.about} />
        {system.isError ? <ProblemNote failure={system.error} /> : <Loading />}
      </>
    )
  const { version, command, databaseBytes, publicUrl, nodes, pool, checks, queue } = system.data
  const { backups, backupFailedAt, nextBackupAt } = system.data
  const isShared = nodes.length > 0
  const [backup] = backups
  return (
    <>
      <PageHeader title={common.pages.system} about={say.about} />
      <Stack>
        {system.isError && <ProblemNote failure={system.error} />}
        <Section title={say.server}>
          <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 4 }}>
            <Fact label={say.version}>{version}</Fact>
            <Fact label={say.uptime}>{uptime}</Fact>
            <Fact label={say.size}>{formats.bytes(databaseBytes)}</Fact>
            <Fact label={say.url}>{publicUrl ?? <Text c="dimmed">{say.noUrl}</Text>}</Fact>
          </SimpleGrid>
        </Section>
        {isShared && (
          <Section title={say.nodes} about={say.nodesAbout}>
            <NodeTable nodes={nodes} />
            {nodes
              .filter(({ state }) => state === 'silent')
              .map(({ id, name }) => (
                <CopyBlock key={id} label={say.forget(name)} value={`${command} nodes forget ${id}`} />
              ))}
            {pool && (
              <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 4 }}>
                <Fact label={say.connections}>{say.inUse(formats.number(pool.busy), formats.number(pool.size))}</Fact>
                <Fact label={say.waitingForOne}>{formats.number(pool.waiting)}</Fact>
              </SimpleGrid>
            )}
          </Section>
        )}
        {isShared ? (
          <Section title={say.backups} about={say.ownMeans}>
            <CopyBlock
              label={say.command}
              value='pg_dump --format=custom --file=watchword.dump "$WATCHWORD_DATABASE_URL"'
            />
          </Section>
        ) : (
          <Section title={say.backups} about={say.backupHow}>
            <CopyBlock label={say.command} value={`${command} backup`} />
            <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 4 }}>
              <Fact label={say.lastBackup}>
                {backup ? <Time at={backup.at} /> : <Text c="dimmed">{say.noBackup}</Text>}
              </Fact>
              <Fact label={say.backupSize}>{backup ? formats.bytes(backup.bytes) : '—'}</Fact>
              <Fact label={say.backupCount}>{formats.number(backups.length)}</Fact>
              {nextBackupAt !== undefined && (
                <Fact label={say.nextBackup}>
                  <Time at={nextBackupAt} />
                </Fact>
              )}
              {backupFailedAt !== undefined && (
                <Fact label={say.failedBackup}>
                  <Text span c="red">
                    <Time at={backupFailedAt} />
                  </Text>
                </Fact>
              )}
            </SimpleGrid>
          </Section>
        )}
        <Section title={say.checks}>
          <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 4 }}>
            {(['database', 'dispatcher'] as const).map((check) => (
              <Fact key={check} label={say[check]}>
                <Badge variant="light" color={checks[check] ? 'teal' : 'red'}>
                  {checks[check] ? say.well : say.ill}
                </Badge>
              </Fact>
            ))}
          </SimpleGrid>
        </Section>
        <Section title={say.queue} about={say.queueAbout}>
          <QueueTable queue={queue} />
        </Section>
      </Stack>
    </>
  )
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <Text component="dt" size="sm" c="dimmed">
      {label}
    </Text>
    <AsWritten component="dd" fw={500}>
      {children}
    </AsWritten>
  </div>
)

const uptimeWords = inWords({
  en: {
    days: (days: number, hours: number) => `${days} d ${hours} h`,
    hours: (hours: number, minutes: number) => `${hours} h ${minutes} min`,
    minutes: (minutes: number, seconds: number) => `${minutes} min ${seconds} s`,
  },
  ko: {
    days: (days, hours) => `${days}일 ${hours}시간`,
    hours: (hours, minutes) => `${hours}시간 ${minutes}분`,
    minutes: (minutes, seconds) => `${minutes}분 ${seconds}초`,
  },
})

/** Current state; the page polls it. */
function useUptime(startedAt: number | undefined): string {
  const say = useWords(uptimeWords)
  if (startedAt === undefined) return ''
  const seconds = Math.max(0, Math.floor((Date.now() - startedAt) / 1_000))
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours >= 24) return say.days(Math.floor(hours / 24), hours % 24)
  return hours > 0 ? say.hours(hours, minutes % 60) : say.minutes(minutes, seconds % 60)
}
