/** From nothing to a verified test code, and on to real messages: what is done, what is next. */
import { Progress as Bar, Group, Stack, Text } from '@mantine/core'
import { inWords, useWords } from '../../i18n/words'
import { Section } from '../../parts/section'
import { OPTIONAL, type SetUpProgress, STEPS } from './progress'
import { StepRow } from './step-row'

const words = inWords({
  en: {
    title: 'First steps',
    about: 'From nothing to a verified test code takes the first two; the others lead to real messages.',
    progress: (done: number, all: number) => `${done} of ${all} done`,
  },
  ko: {
    title: '시작하기',
    about: '처음 두 단계만 거치면 테스트 코드를 인증할 수 있습니다. 나머지는 실제 메시지를 보내기 위한 단계입니다.',
    progress: (done, all) => `${all}단계 중 ${done}단계 완료`,
  },
})

export function Checklist({ progress }: { progress: SetUpProgress }) {
  const say = useWords(words)
  const done = STEPS.filter((step) => progress[step]).length
  const next = STEPS.find((step) => !progress[step] && !OPTIONAL.includes(step))
  const label = say.progress(done, STEPS.length)
  return (
    <Section title={say.title} about={say.about}>
      <Group gap="sm" wrap="nowrap">
        <Bar value={(done / STEPS.length) * 100} size="sm" color="teal" flex={1} maw={320} aria-label={label} />
        <Text size="sm" c="dimmed">
          {label}
        </Text>
      </Group>
      <Stack component="ol" gap={0}>
        {STEPS.map((step, index) => (
          <StepRow key={step} step={step} number={index + 1} isDone={progress[step]} isNext={step === next} />
        ))}
      </Stack>
    </Section>
  )
}
