import { Badge, Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { IconApps } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api'
import { frameWords } from '../i18n/frame'
import { inWords, useWords } from '../i18n/words'
import { CopyButton } from '../parts/copy'
import { DataTable, fromList } from '../parts/data-table'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { Section } from '../parts/section'
import { Time } from '../parts/time'
import { useScope } from '../scope'
import { useMay, useSession } from '../session'
import { NewApp } from './apps/new-app'

const words = inWords({
  en: {
    about:
      'Keys, templates, webhooks and credit belong to an app. One for each product or environment keeps them apart.',
    organization: 'Organization',
    create: 'New app',
    name: 'Name',
    id: 'App id',
    created: 'Created',
    chosen: 'Shown now',
    choose: 'Show',
    chooseApp: (name: string) => `Show ${name}`,
    none: 'No app yet',
    noneMake: 'Create the first one above.',
    noneAsk: 'Ask an owner to create one.',
  },
  ko: {
    about: '키, 템플릿, 웹훅, 크레딧은 앱에 속합니다. 제품이나 환경마다 앱을 나누면 서로 섞이지 않습니다.',
    organization: '조직',
    create: '새 앱',
    name: '이름',
    id: '앱 ID',
    created: '생성 시각',
    chosen: '보는 중',
    choose: '보기',
    chooseApp: (name) => `${name} 앱 보기`,
    none: '아직 앱이 없습니다',
    noneMake: '위에서 첫 앱을 만드세요.',
    noneAsk: '소유자에게 앱 생성을 요청하세요.',
  },
})

export default function Apps() {
  const say = useWords(words)
  const common = useWords(frameWords)
  const may = useMay()
  const { organization } = useSession()
  const { app, choose } = useScope()
  const apps = useQuery(api.apps.list.queryOptions())
  return (
    <>
      <PageHeader title={common.pages.apps} about={say.about} />
      <Stack>
        {may('apps') && (
          <Section title={say.create}>
            <NewApp />
          </Section>
        )}
        <DataTable
          {...fromList(apps.data?.apps, apps)}
          label={common.pages.apps}
          keyOf={({ appId }) => appId}
          columns={[
            { key: 'name', header: say.name, cell: ({ name }) => <Text fw={500}>{name}</Text> },
            {
              key: 'id',
              header: say.id,
              cell: ({ appId }) => (
                <Group gap={4} wrap="nowrap">
                  <Text size="sm" ff="monospace">
                    {appId}
                  </Text>
                  <CopyButton value={appId} what={say.id} />
                </Group>
              ),
            },
            { key: 'created', header: say.created, isMinor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              key: 'choose',
              header: <VisuallyHidden>{say.choose}</VisuallyHidden>,
              isNumber: true,
              cell: ({ appId, name }) =>
                appId === app?.appId ? (
                  <Badge variant="light">{say.chosen}</Badge>
                ) : (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={say.chooseApp(name)}
                    onClick={() => choose({ app: appId })}
                  >
                    {say.choose}
                  </Button>
                ),
            },
          ]}
          empty={<EmptyState icon={IconApps} title={say.none} next={may('apps') ? say.noneMake : say.noneAsk} />}
        />
        {organization !== '' && (
          <Group gap={4}>
            <Text size="sm" c="dimmed">
              {say.organization}
            </Text>
            <Text size="sm" ff="monospace">
              {organization}
            </Text>
            <CopyButton value={organization} what={say.organization} />
          </Group>
        )}
      </Stack>
    </>
  )
}
