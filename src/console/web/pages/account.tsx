import { Badge, Group, Stack, Text } from '@mantine/core'
import { frameWords } from '../i18n/frame'
import { roleWords } from '../i18n/roles'
import { inWords, useWords } from '../i18n/words'
import { PageHeader } from '../parts/page-header'
import { Section } from '../parts/section'
import { useSession } from '../session'
import { ChangePassword } from './account/change-password'
import { SecondFactor } from './account/second-factor'
import { Sessions } from './account/sessions'

const words = inWords({
  en: { about: 'How you sign in. Language and appearance are in the menu at the top.', you: 'You' },
  ko: { about: '로그인 방법을 관리합니다. 언어와 화면 모드는 오른쪽 위 메뉴에 있습니다.', you: '내 정보' },
})

export default function Account() {
  const say = useWords(words)
  const common = useWords(frameWords)
  const roles = useWords(roleWords)
  const { operator } = useSession()
  if (!operator) return null
  return (
    <>
      <PageHeader title={common.pages.account} about={say.about} />
      <Stack maw={720}>
        <Section title={say.you}>
          <Stack gap={6}>
            <Group gap="xs">
              <Text fw={600}>{operator.name}</Text>
              <Badge variant="light">{roles.names[operator.role]}</Badge>
            </Group>
            <Text size="sm">{operator.email}</Text>
            <Text size="sm" c="dimmed">
              {roles.about[operator.role]}
            </Text>
          </Stack>
        </Section>
        <ChangePassword />
        <SecondFactor isOn={operator.hasTotp} />
        <Sessions />
      </Stack>
    </>
  )
}
