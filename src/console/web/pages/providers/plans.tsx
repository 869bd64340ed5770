/** The table of delivery plans of every app. */
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconPlus, IconStairs } from '@tabler/icons-react'
import { api, client, queries } from '../../api'
import { channelWords, countryWithCode } from '../../i18n/names'
import { useLanguage, useWords } from '../../i18n/words'
import { confirmByName } from '../../parts/confirm-by-name'
import { DataTable } from '../../parts/data-table'
import { EmptyState } from '../../parts/empty-state'
import { RowAction } from '../../parts/row-action'
import { tellDone } from '../../parts/tell'
import { useApps, useScope } from '../../scope'
import { useMay } from '../../session'
import { Legs } from './legs-field'
import { openPlanForm, planWords, type ShownPlan } from './plan-form'

export function Plans() {
  const say = useWords(planWords)
  const channels = useWords(channelWords)
  const language = useLanguage()
  const mayChange = useMay()('carriers')
  const apps = useApps()
  const { app: chosen } = useScope()
  const plans = apps.flatMap(({ appId, plans = [] }) => plans.map((plan): ShownPlan => ({ ...plan, appId })))
  const appName = (appId: string) => apps.find((app) => app.appId === appId)?.name ?? appId
  const nameOf = ({ appId, channel, country }: ShownPlan) =>
    [channel, ...(country === undefined ? [] : [country]), appName(appId)].join(' ')
  const remove = (plan: ShownPlan) =>
    confirmByName({
      title: say.removeOf(nameOf(plan)),
      name: nameOf(plan),
      consequence: say.removeMeans,
      action: say.remove,
      async run() {
        const { legs: _, ...whose } = plan
        await client.apps.removePlan(whose)
        tellDone(say.removed)
        await queries.invalidateQueries({ queryKey: api.apps.key() })
      },
    })
  const set = mayChange && chosen && (
    <Button size="sm" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => openPlanForm({ app: chosen })}>
      {say.set}
    </Button>
  )
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4}>
          <Title order={2}>{say.title}</Title>
          <Text size="sm" c="dimmed" maw={640}>
            {say.about}
          </Text>
        </Stack>
        {plans.length > 0 && set}
      </Group>
      <DataTable
        rows={plans}
        failure={null}
        label={say.title}
        keyOf={nameOf}
        columns={[
          { key: 'app', header: say.app, cell: ({ appId }) => appName(appId) },
          { key: 'channel', header: say.channel, cell: ({ channel }) => channels[channel] },
          {
            key: 'country',
            header: say.country,
            cell: ({ country }) => (country === undefined ? say.everyCountry : countryWithCode(country, language)),
          },
          {
            key: 'legs',
            header: say.legs,
            cell: ({ legs }) => <Legs of={legs} />,
          },
          mayChange && {
            key: 'actions',
            header: say.actions,
            cell: (plan) => (
              <Group gap="xs">
                <RowAction
                  name={say.editOf(nameOf(plan))}
                  onClick={() => openPlanForm({ app: { appId: plan.appId, name: appName(plan.appId) }, plan })}
                >
                  {say.edit}
                </RowAction>
                <RowAction isDestructive name={say.removeOf(nameOf(plan))} onClick={() => remove(plan)}>
                  {say.remove}
                </RowAction>
              </Group>
            ),
          },
        ]}
        empty={
          <EmptyState icon={IconStairs} title={say.emptyTitle} next={say.emptyNext}>
            {set}
          </EmptyState>
        }
      />
    </Stack>
  )
}
