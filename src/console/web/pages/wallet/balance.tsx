/** What there is, what is promised, and what is left. */
import { Alert, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { client } from '../../api'
import { useFormats } from '../../i18n/format'
import { useWords } from '../../i18n/words'
import { walletWords } from './words'

export type ShownWallet = Awaited<ReturnType<typeof client.wallet.show>>

export function Balance({ wallet }: { wallet: ShownWallet }) {
  const say = useWords(walletWords)
  const formats = useFormats()
  const { balance, reserved, available, overdraftLimit, alertBelow } = wallet
  const isEmpty = available + overdraftLimit <= 0
  const isLow = alertBelow !== undefined && available < alertBelow
  return (
    <Stack mb="lg">
      {(isEmpty || isLow) && (
        <Alert color={isEmpty ? 'red' : 'yellow'} icon={<IconAlertTriangle aria-hidden />} role="status">
          {isEmpty ? say.empty : say.low(formats.number(alertBelow ?? 0))}
        </Alert>
      )}
      <SimpleGrid component="dl" cols={{ base: 2, xs: 3 }}>
        <Amount name={say.available} about={say.availableAbout} value={formats.number(available)} />
        <Amount name={say.balance} about={say.balanceAbout} value={formats.number(balance)} />
        <Amount name={say.reserved} about={say.reservedAbout} value={formats.number(reserved)} />
      </SimpleGrid>
      <Group gap="lg">
        <Text size="sm">
          {say.overdraft}: <strong>{formats.number(overdraftLimit)}</strong>
        </Text>
        <Text size="sm">
          {say.alert}: <strong>{alertBelow === undefined ? say.noAlert : formats.number(alertBelow)}</strong>
        </Text>
      </Group>
    </Stack>
  )
}

const Amount = ({ name, about, value }: { name: string; about: string; value: string }) => (
  <Paper withBorder p="md">
    <Text component="dt" size="sm" fw={500}>
      {name}
    </Text>
    <Text component="dd">
      <Text component="span" display="block" fz={{ base: 20, md: 26 }} fw={600}>
        {value}
      </Text>
      <Text component="span" size="xs" c="dimmed">
        {about}
      </Text>
    </Text>
  </Paper>
)
