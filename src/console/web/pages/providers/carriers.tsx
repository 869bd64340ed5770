/** Every carrier as it is now. */
import { Accordion, Paper, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core'
import { IconRoute } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api'
import { useCommand } from '../../command'
import { useWords } from '../../i18n/words'
import { CopyBlock } from '../../parts/copy'
import { EmptyState } from '../../parts/empty-state'
import { ProblemNote } from '../../parts/problem-note'
import { CarrierCard } from './carrier-card'
import { providerWords } from './words'

/** Credentials stay on the server. */
const COMMAND = 'provider set main --type http --channel sms --url https://carrier.example.com/send'

export function Carriers() {
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
          <CopyBlock value={command(COMMAND)} label={say.command} />
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
                <CopyBlock value={command(COMMAND)} label={say.command} />
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        </>
      )}
    </Stack>
  )
}
