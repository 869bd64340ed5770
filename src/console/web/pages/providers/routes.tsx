/** The table of routes. */
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconArrowsSplit2, IconPlus, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, client, queries } from '../../api'
import { channelWords, countryWithCode } from '../../i18n/names'
import { useLanguage, useWords } from '../../i18n/words'
import { safetyNet } from '../../live'
import { confirmByName } from '../../parts/confirm-by-name'
import { DataTable, fromList } from '../../parts/data-table'
import { EmptyState } from '../../parts/empty-state'
import { RowAction } from '../../parts/row-action'
import { tellDone } from '../../parts/tell'
import { useApps, useScope } from '../../scope'
import { useMay } from '../../session'
import { explainWords, openExplainRoute } from './explain-route'
import { openRouteForm, routeWords } from './route-form'
import type { ShownRoute } from './words'

export function Routes() {
  const say = useWords(routeWords)
  const channels = useWords(channelWords)
  const language = useLanguage()
  const mayChange = useMay()('carriers')
  const apps = useApps()
  const { app } = useScope()
  const explain = useWords(explainWords)
  const routes = useQuery(api.carriers.routes.queryOptions({ refetchInterval: safetyNet }))
  const carriers = useQuery(api.carriers.list.queryOptions())
  const providers = carriers.data?.providers ?? []
  const appName = (appId: string) => apps.find((app) => app.appId === appId)?.name ?? appId
  const nameOf = ({ channel, country, appId }: ShownRoute) =>
    [channel, ...(country === undefined ? [] : [country]), ...(appId === undefined ? [] : [appName(appId)])].join(' ')
  const remove = (route: ShownRoute) =>
    confirmByName({
      title: say.removeOf(nameOf(route)),
      name: nameOf(route),
      consequence: say.removeMeans,
      action: say.remove,
      async run() {
        const { providers: _, ...whose } = route
        await client.carriers.removeRoute(whose)
        tellDone(say.removed)
        await queries.invalidateQueries({ queryKey: api.carriers.key() })
      },
    })
  const set = mayChange && providers.length > 0 && (
    <Button
      size="sm"
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => openRouteForm({ apps, carriers: providers })}
    >
      {say.set}
    </Button>
  )
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} flex="1 1 320px">
          <Title order={2}>{say.title}</Title>
          <Text size="sm" c="dimmed" maw={640}>
            {say.about}
          </Text>
        </Stack>
        <Group gap="xs">
          {mayChange && app && (
            <Button
              size="sm"
              variant="default"
              leftSection={<IconSearch size={16} aria-hidden />}
              onClick={() => openExplainRoute(apps, app.appId)}
            >
              {explain.open}
            </Button>
          )}
          {routes.data?.routes.length !== 0 && set}
        </Group>
      </Group>
      <DataTable
        {...fromList(routes.data?.routes, routes)}
        label={say.title}
        keyOf={nameOf}
        file={{ name: 'routes' }}
        columns={[
          { key: 'channel', header: say.channel, cell: ({ channel }) => channels[channel] },
          {
            key: 'country',
            header: say.country,
            cell: ({ country }) => (country === undefined ? say.everyCountry : countryWithCode(country, language)),
            isUnbroken: true,
          },
          {
            key: 'app',
            header: say.app,
            cell: ({ appId }) => (appId === undefined ? say.everyApp : appName(appId)),
          },
          { key: 'order', header: say.order, cell: (route) => route.providers.join(' → ') },
          mayChange && {
            key: 'actions',
            header: say.actions,
            cell: (route) => (
              <Group gap="xs">
                <RowAction
                  name={say.editOf(nameOf(route))}
                  onClick={() => openRouteForm({ apps, carriers: providers, route })}
                >
                  {say.edit}
                </RowAction>
                <RowAction isDestructive name={say.removeOf(nameOf(route))} onClick={() => remove(route)}>
                  {say.remove}
                </RowAction>
              </Group>
            ),
          },
        ]}
        empty={
          <EmptyState icon={IconArrowsSplit2} title={say.emptyTitle} next={say.emptyNext}>
            {set}
          </EmptyState>
        }
      />
    </Stack>
  )
}
