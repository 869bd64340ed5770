import { Group, Text } from '@mantine/core'
import icon from '../../../http/icon.svg'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'

/** Where there is little room, its name is left out. */
export function Logo({ isShort = false }: { isShort?: boolean }) {
  const say = useWords(frameWords)
  return (
    <Group gap="xs" wrap="nowrap">
      <img src={icon} alt="" width={26} height={26} />
      <Text fw={700} {...(isShort && { visibleFrom: 'xs' })}>
        {say.product}
      </Text>
    </Group>
  )
}
