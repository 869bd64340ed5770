/** Dialog of the review numbers of an app: a table, and a form that adds one. */
import { Code, Group, NumberInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconUserCheck } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { REVIEW_DAILY_MAX, REVIEW_DAYS } from '../../../../domain/verification/review-number'
import { api, client, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { inWords, useWords, wordsNow } from '../../i18n/words'
import { confirm } from '../../parts/confirm'
import { CopyButton } from '../../parts/copy'
import { DataTable, fromList } from '../../parts/data-table'
import { EmptyState } from '../../parts/empty-state'
import { Form, useServerForm } from '../../parts/form'
import { RowAction } from '../../parts/row-action'
import { Section } from '../../parts/section'
import { tellDone, tellProblem } from '../../parts/tell'
import { AsWritten } from '../../parts/text'
import { Time } from '../../parts/time'
import type { ShownApp } from '../../scope'
import { appWords } from './words'

const words = inWords({
  en: {
    about:
      'Reviewers, such as those of an app store, sign in at a live number with a fixed code. No message is sent, and nothing is charged.',
    proofs: 'Proofs of such a number say “test: true”. Your backend has to allow them.',
    list: 'Review numbers',
    name: 'Name',
    code: 'Code',
    daily: 'Codes a day',
    ends: 'Ends',
    actions: 'Actions',
    remove: 'Remove',
    removeOf: (name: string) => `Remove ${name}`,
    removeMeans:
      'Reviewers who sign in with it now get a message instead of the fixed code. Adding the number again undoes this, with another code.',
    removed: (name: string) => `${name} is removed: its number gets messages again.`,
    empty: 'No review numbers',
    emptyNext: 'Every live number gets a message.',
    addTitle: 'Add a review number',
    nameAbout: 'One of the same name is replaced.',
    number: 'Phone number',
    numberAbout: 'Stored as a keyed hash only.',
    days: 'Days until it ends',
    add: 'Add',
    added: (name: string) => `${name} signs in with the code in the table.`,
  },
  ko: {
    about:
      '앱 스토어 심사자가 운영 번호에서 고정 인증번호로 로그인합니다. 메시지를 보내지 않으며 비용도 들지 않습니다.',
    proofs: '이 번호의 증명에는 “test: true”가 있으므로 백엔드에서 허용해야 합니다.',
    list: '심사용 번호',
    name: '이름',
    code: '인증번호',
    daily: '하루 발급',
    ends: '종료',
    actions: '작업',
    remove: '삭제',
    removeOf: (name) => `${name} 삭제`,
    removeMeans:
      '이 번호로 로그인하는 심사자는 고정 인증번호 대신 메시지를 받습니다. 번호를 다시 추가하면 되돌릴 수 있지만 인증번호가 바뀝니다.',
    removed: (name) => `${name}을(를) 삭제했습니다. 이제 이 번호로 메시지를 보냅니다.`,
    empty: '심사용 번호가 없습니다',
    emptyNext: '모든 운영 번호로 메시지를 보냅니다.',
    addTitle: '심사용 번호 추가',
    nameAbout: '같은 이름이 있으면 바꿉니다.',
    number: '전화번호',
    numberAbout: '키 해시로만 저장합니다.',
    days: '종료까지 남은 일수',
    add: '추가',
    added: (name) => `${name}은(는) 표의 인증번호로 로그인합니다.`,
  },
})

type ReviewedApp = Pick<ShownApp, 'appId' | 'name'>

export const openReviewNumbers = (app: ReviewedApp): void => {
  modals.open({
    title: wordsNow(appWords).reviewNumbersOf(app.name),
    size: 'lg',
    children: <ReviewNumbers app={app} />,
  })
}

function ReviewNumbers({ app: { appId } }: { app: ReviewedApp }) {
  const say = useWords(words)
  const formats = useFormats()
  const query = useQuery(api.apps.reviewNumbers.queryOptions({ input: { appId } }))
  const remove = useMutation(
    api.apps.removeReviewNumber.mutationOptions({
      async onSuccess(_, { name }) {
        await queries.invalidateQueries({ queryKey: api.apps.reviewNumbers.key() })
        tellDone(say.removed(name))
      },
      onError: tellProblem,
    }),
  )
  return (
    <Stack>
      <Text size="sm">{`${say.about} ${say.proofs}`}</Text>
      <DataTable
        {...fromList(query.data?.reviewNumbers, query)}
        label={say.list}
        keyOf={({ name }) => name}
        columns={[
          { key: 'name', header: say.name, cell: ({ name }) => <AsWritten size="sm">{name}</AsWritten> },
          {
            key: 'code',
            header: say.code,
            cell: ({ code }) => (
              <Group gap={4} wrap="nowrap">
                <Code>{code}</Code>
                <CopyButton value={code} what={say.code} />
              </Group>
            ),
          },
          {
            key: 'daily',
            header: say.daily,
            isNumber: true,
            isUnbroken: true,
            cell: ({ dailyMax }) => formats.number(dailyMax),
          },
          { key: 'ends', header: say.ends, cell: ({ endsAt }) => <Time at={endsAt} relative /> },
          {
            key: 'actions',
            header: say.actions,
            cell: ({ name }) => (
              <RowAction
                isDestructive
                name={say.removeOf(name)}
                onClick={() =>
                  confirm({
                    title: say.removeOf(name),
                    consequence: say.removeMeans,
                    action: say.remove,
                    run: () => remove.mutate({ appId, name }),
                  })
                }
              >
                {say.remove}
              </RowAction>
            ),
          },
        ]}
        empty={<EmptyState icon={IconUserCheck} title={say.empty} next={say.emptyNext} />}
      />
      <Section title={say.addTitle}>
        <AddReviewNumber appId={appId} />
      </Section>
    </Stack>
  )
}

const wholeNumber = { clampBehavior: 'none', allowDecimal: false, allowNegative: false, hideControls: true } as const

function AddReviewNumber({ appId }: { appId: string }) {
  const say = useWords(words)
  const form = useServerForm({
    initialValues: { name: '', phoneNumber: '', days: 30 as number | string, dailyMax: 20 as number | string },
    send: ({ name, phoneNumber, days, dailyMax }) =>
      client.apps.addReviewNumber({ appId, name, phoneNumber, days: Number(days), dailyMax: Number(dailyMax) }),
    async onDone({ name }) {
      await queries.invalidateQueries({ queryKey: api.apps.reviewNumbers.key() })
      form.reset()
      tellDone(say.added(name))
    },
  })
  return (
    <Form form={form} action={say.add}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label={say.name}
          description={say.nameAbout}
          placeholder="App Store"
          required
          maxLength={100}
          autoComplete="off"
          {...form.field('name')}
        />
        <TextInput
          type="tel"
          label={say.number}
          description={say.numberAbout}
          placeholder="+1 415 555 0132"
          required
          maxLength={40}
          autoComplete="off"
          {...form.field('phoneNumber')}
        />
        <NumberInput label={say.days} required {...REVIEW_DAYS} {...wholeNumber} {...form.field('days')} />
        <NumberInput label={say.daily} required {...REVIEW_DAILY_MAX} {...wholeNumber} {...form.field('dailyMax')} />
      </SimpleGrid>
    </Form>
  )
}
