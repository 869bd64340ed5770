/** Dialog that hands a made-up code to a test relay, as its platform would. */
import { Alert, Group, Text, TextInput } from '@mantine/core'
import { api, client, queries } from '../../api'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { RowLink } from '../../parts/text'
import { relayWords, type ShownRelay } from './words'

const words = inWords({
  en: {
    about: 'A made-up code goes through this relay, as if its platform had sent it. No message goes out.',
    number: 'Phone number',
    taken: 'The relay took the code',
    next: 'The test inbox shows the code, and the message shows how it went.',
    message: 'To the message',
    inbox: 'To the test inbox',
    again: 'Send another test',
  },
  ko: {
    about: '플랫폼이 보낸 것처럼 임의의 인증번호를 이 릴레이로 보냅니다. 메시지는 실제로 발송되지 않습니다.',
    number: '전화번호',
    taken: '릴레이가 인증번호를 받았습니다',
    next: '인증번호는 테스트 수신함에서, 진행 상황은 메시지에서 볼 수 있습니다.',
    message: '메시지 보기',
    inbox: '테스트 수신함 보기',
    again: '다시 보내기',
  },
})

export function SendTest({ by: { relayId }, onClose }: { by: ShownRelay; onClose(): void }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const relays = useWords(relayWords)
  const form = useServerForm({
    initialValues: { phoneNumber: '' },
    send: ({ phoneNumber }) => client.relays.test({ relayId, phoneNumber }),
    onDone: () => queries.invalidateQueries({ queryKey: api.relays.messages.key() }),
  })
  return (
    <Form
      form={form}
      action={form.answer ? say.again : relays.test}
      cancel={form.answer ? common.done : common.cancel}
      onCancel={onClose}
    >
      <Text size="sm">{say.about}</Text>
      <TextInput
        data-autofocus
        type="tel"
        label={say.number}
        required
        maxLength={40}
        autoComplete="off"
        placeholder="010-1234-5678"
        {...form.field('phoneNumber')}
      />
      <div aria-live="polite">
        {form.answer && (
          <Alert color="teal" title={say.taken}>
            <Text size="sm">{say.next}</Text>
            <Group mt="xs" fz="sm">
              <RowLink to="/inbox">{say.inbox}</RowLink>
              <RowLink to="/issues/$issueId" params={{ issueId: form.answer.issueId }}>
                {say.message}
              </RowLink>
            </Group>
          </Alert>
        )}
      </div>
    </Form>
  )
}
