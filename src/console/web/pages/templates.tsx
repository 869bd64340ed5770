/** The app's message templates. */
import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core'
import { IconPlus, IconTemplate } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api'
import { frameWords } from '../i18n/frame'
import { channelWords } from '../i18n/names'
import { useWords } from '../i18n/words'
import { DataTable, fromList } from '../parts/data-table'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { AsWritten } from '../parts/text'
import { useAppScope } from '../scope'
import { useMay } from '../session'
import { templateWords } from './templates/words'

export default function Templates() {
  const say = useWords(templateWords)
  const common = useWords(frameWords)
  const channels = useWords(channelWords)
  const may = useMay()
  const { appId } = useAppScope()
  const templates = useQuery(api.templates.list.queryOptions({ input: { appId } }))
  const make = may('templates') && (
    <Button component={Link} to="/templates/edit" leftSection={<IconPlus size={16} aria-hidden />}>
      {say.make}
    </Button>
  )
  return (
    <>
      <PageHeader title={common.pages.templates} about={say.about}>
        {make}
      </PageHeader>
      <DataTable
        {...fromList(templates.data?.templates, templates)}
        label={common.pages.templates}
        keyOf={({ templateId }) => templateId}
        file={{ name: 'templates' }}
        linkOf={({ templateId }) => ({ to: '/templates/edit', search: { template: templateId } })}
        columns={[
          { key: 'name', header: say.name, cell: ({ name }) => name },
          {
            key: 'id',
            header: say.id,
            cell: ({ templateId, isBuiltIn, isDefault }) => (
              <Stack gap={4} align="flex-start">
                <Code>{templateId}</Code>
                <Group gap={4}>
                  {isDefault && (
                    <Badge size="sm" variant="light">
                      {say.isDefault}
                    </Badge>
                  )}
                  <Badge size="sm" variant="default">
                    {isBuiltIn ? say.builtIn : say.own}
                  </Badge>
                </Group>
              </Stack>
            ),
          },
          {
            key: 'text',
            header: say.text,
            isMinor: true,
            cell: ({ body, bodies }) => (
              <Stack gap={2} maw={420}>
                <AsWritten size="sm" lineClamp={2} title={body}>
                  {body}
                </AsWritten>
                {Object.keys(bodies).length > 0 && (
                  <Text size="xs" c="dimmed">
                    {say.alsoIn(Object.keys(bodies).join(', '))}
                  </Text>
                )}
              </Stack>
            ),
          },
          {
            key: 'channels',
            header: say.channels,
            isMinor: true,
            // Short enough for one line.
            cell: ({ channelSupport }) => (
              <span data-unbroken>{channelSupport.map((channel) => channels[channel]).join(', ')}</span>
            ),
          },
          {
            key: 'variables',
            header: say.variables,
            isMinor: true,
            cell: ({ variables }) => Object.keys(variables).join(', ') || common.none,
          },
        ]}
        empty={
          <EmptyState icon={IconTemplate} title={say.emptyTitle} next={say.emptyNext}>
            {make}
          </EmptyState>
        }
      />
    </>
  )
}
