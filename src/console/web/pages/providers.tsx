/** Carriers, routes and delivery plans of the whole installation. */
import { Button, Group, Paper, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core'
import { IconPlus, IconRoute } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { safetyNet } from '../live'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { useMay } from '../session'
import { AddCarrier } from './providers/add-carrier'
import { CarrierCard } from './providers/carrier-card'
import { Plans } from './providers/plans'
import { Routes } from './providers/routes'
import { providerWords } from './providers/words'

export default function Providers() {
  const say = useWords(providerWords)
  const common = useWords(frameWords)
  return (
    <>
      <PageHeader title={common.pages.providers} about={say.about} />
      <Stack gap="xl">
        <Carriers />
        <Routes />
        <Plans />
      </Stack>
    </>
  )
}

/** All carriers with their current state. */
function Carriers() {
  const say = useWords(providerWords)
  const mayChange = useMay()('carriers')
  const carriers = useQuery(api.carriers.list.queryOptions({ refetchInterval: safetyNet }))
  const [isAdding, setAdding] = useState(false)
  const providers = carriers.data?.providers
  const add = mayChange && (
    <Button size="sm" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {say.add}
    </Button>
  )
  return (
    <Stack component="section" aria-label={say.carriers} gap="sm">
      <Group justify="space-between">
        <Title order={2}>{say.carriers}</Title>
        {/* One button in one place: it gets the focus back after the first carrier, too. */}
        {providers !== undefined && add}
      </Group>
      {carriers.isError && <ProblemNote failure={carriers.error} />}
      {carriers.isPending && <Skeleton height={180} radius="md" />}
      {providers?.length === 0 && (
        <Paper withBorder p="md">
          <EmptyState icon={IconRoute} title={say.emptyTitle} next={mayChange ? say.emptyNext : say.emptyViewer} />
        </Paper>
      )}
      {providers !== undefined && providers.length > 0 && (
        <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
          {providers.map((carrier) => (
            <CarrierCard key={carrier.name} carrier={carrier} />
          ))}
        </SimpleGrid>
      )}
      {providers !== undefined && (
        <AddCarrier isOpen={isAdding} carriers={providers} onClose={() => setAdding(false)} />
      )}
    </Stack>
  )
}
