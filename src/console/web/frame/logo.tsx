import { Group, Text } from '@mantine/core'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import icon from '../icon.svg'

export function Logo() {
  const say = useWords(frameWords)
  return (
    <Group gap="xs" wrap="nowrap">
      <img src={icon} alt="" width={26} height={26} />
      <Text fw={700} visibleFrom="xs">
        {say.product}
      </Text>
    </Group>
  )
}
