import { Badge, Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { IconApps } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { frameWords } from '../i18n/frame'
import { countryWithCode } from '../i18n/names'
import { useLanguage, useWords } from '../i18n/words'
import { CopyButton } from '../parts/copy'
import { DataTable, fromList } from '../parts/data-table'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { Section } from '../parts/section'
import { Time } from '../parts/time'
import { useDefaultRegion, useScope } from '../scope'
import { appsQuery, useMay, useSession } from '../session'
import { NewApp, regionWords } from './apps/new-app'
import { openReviewNumbers } from './apps/review-numbers'
import { openAppSettings } from './apps/settings'
import { appWords } from './apps/words'

export default function Apps() {
  const say = useWords(appWords)
  const regions = useWords(regionWords)
  const common = useWords(frameWords)
  const language = useLanguage()
  const defaultRegion = useDefaultRegion()
  const may = useMay()
  const { organization } = useSession()
  const { app, choose } = useScope()
  const apps = useQuery(appsQuery())
  return (
    <>
      <PageHeader title={common.pages.apps} about={say.about} />
      <Stack>
        {may('apps') && (
          <Section title={say.create}>
            <NewApp asksRegion />
          </Section>
        )}
        <DataTable
          {...fromList(apps.data?.apps, apps)}
          label={common.pages.apps}
          keyOf={({ appId }) => appId}
          file={{ name: 'apps' }}
          columns={[
            {
              key: 'name',
              header: say.name,
              cell: ({ name }) => (
                <Text inherit fw={500}>
                  {name}
                </Text>
              ),
            },
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
            {
              key: 'region',
              header: regions.region,
              cell: ({ region }) =>
                region === undefined
                  ? regions.asServer(countryWithCode(defaultRegion, language))
                  : countryWithCode(region, language),
            },
            { key: 'created', header: say.created, isMinor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              key: 'actions',
              header: <VisuallyHidden>{say.actions}</VisuallyHidden>,
              isNumber: true,
              cell: (row) => (
                <Group gap="xs" justify="flex-end">
                  {may('apps') && (
                    <>
                      <Button
                        size="compact-xs"
                        variant="default"
                        aria-label={say.settingsOf(row.name)}
                        onClick={() => openAppSettings(row)}
                      >
                        {say.settings}
                      </Button>
                      <Button
                        size="compact-xs"
                        variant="default"
                        aria-label={say.reviewNumbersOf(row.name)}
                        onClick={() => openReviewNumbers(row)}
                      >
                        {say.reviewNumbers}
                      </Button>
                    </>
                  )}
                  {row.appId === app?.appId ? (
                    <Badge variant="light">{say.chosen}</Badge>
                  ) : (
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={say.chooseApp(row.name)}
                      onClick={() => choose({ app: row.appId })}
                    >
                      {say.choose}
                    </Button>
                  )}
                </Group>
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
