/** Carriers and routes of the whole installation. */
import { Accordion, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconRoute } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api'
import { useCommand } from '../command'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { CopyBlock } from '../parts/copy'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { CarrierCard } from './providers/carrier-card'
import { Routes } from './providers/routes'
import { providerWords, type ShownCarrier } from './providers/words'

export default function Providers() {
  const say = useWords(providerWords)
  const common = useWords(frameWords)
  return (
    <>
      <PageHeader title={common.pages.providers} about={say.about} />
      <Stack gap="xl">
        <Carriers />
        <Routes />
      </Stack>
    </>
  )
}

/**
 * Command that adds a carrier, since credentials stay on the server. It uses a free name, because a taken name would
 * replace a carrier.
 */
const commandFor = (carriers: readonly ShownCarrier[]) =>
  `provider set ${freeName(carriers)} --type http --channel sms --url https://carrier.example.com/send`

function freeName(carriers: readonly ShownCarrier[]): string {
  const isFree = (name: string) => carriers.every((carrier) => carrier.name !== name)
  const further = Array.from(carriers, (_, index) => `backup${index + 2}`)
  return ['main', 'backup', ...further].find(isFree) ?? ''
}

/** All carriers with their current state. */
function Carriers() {
  const say = useWords(providerWords)
  const command = useCommand()
  const carriers = useQuery(api.carriers.list.queryOptions({ refetchInterval: 3_000 }))
  const providers = carriers.data?.providers
  return (
    <Stack component="section" aria-label={say.carriers} gap="sm">
      <Title order={2}>{say.carriers}</Title>
      {carriers.isError && <ProblemNote failure={carriers.error} />}
      {carriers.isPending && <Skeleton height={180} radius="md" />}
      {providers?.length === 0 && (
        <Paper withBorder p="md">
          <EmptyState icon={IconRoute} title={say.emptyTitle} next={say.emptyNext} />
          <CopyBlock value={command(commandFor(providers))} label={say.command} />
        </Paper>
      )}
      {providers !== undefined && providers.length > 0 && (
        <>
          <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
            {providers.map((carrier) => (
              <CarrierCard key={carrier.name} carrier={carrier} />
            ))}
          </SimpleGrid>
          <Accordion variant="contained">
            <Accordion.Item value="another">
              <Accordion.Control>{say.another}</Accordion.Control>
              <Accordion.Panel>
                <Text size="sm" mb="xs">
                  {say.anotherName}
                </Text>
                <CopyBlock value={command(commandFor(providers))} label={say.command} />
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        </>
      )}
    </Stack>
  )
}
