/** Adds a carrier: its type is chosen from a list, its settings are filled in, and what the carrier has to know is shown. */
import { Button, FocusTrap, Group, Modal, Paper, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { IconSearch, IconSend } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, client, queries } from '../../api'
import { useCommand } from '../../command'
import { frameWords } from '../../i18n/frame'
import { channelWords } from '../../i18n/names'
import { inWords, useWords } from '../../i18n/words'
import { CopyBlock, SecretOnce } from '../../parts/copy'
import { Loading } from '../../parts/empty-state'
import { ProblemNote } from '../../parts/problem-note'
import { CarrierForm, DocumentationLink } from './carrier-form'
import { openCarrierTest } from './carrier-test'
import { providerWords, type ShownCarrier, type ShownChannel, type ShownType } from './words'

const words = inWords({
  en: {
    add: (title: string) => `Add a carrier: ${title}`,
    added: (name: string) => `The carrier ${name} is added`,
    save: 'Add carrier',
    back: 'Back',
    search: 'Search carriers',
    nothing: 'No carrier has this name.',
    own: 'A carrier that is not listed is described in a file, and added on the server:',
    command: 'Command',
    ready: 'Live messages can be sent by it. Send yourself one first.',
    reportUrl: 'Report URL',
    reportUrlAbout: 'Enter it at the carrier, if its console asks where to send delivery reports.',
    reportSecret: 'Report secret',
    reportSecretAbout:
      'The carrier sends it with each report: as “Authorization: Bearer …”, or as “?token=…” of the URL.',
    verifyToken: 'Verify token',
    verifyTokenAbout: 'Enter it at the carrier beside the report URL.',
  },
  ko: {
    add: (title) => `발송사 추가: ${title}`,
    added: (name) => `${name} 발송사를 추가했습니다`,
    save: '발송사 추가',
    back: '뒤로',
    search: '발송사 검색',
    nothing: '이 이름의 발송사가 없습니다.',
    own: '목록에 없는 발송사는 파일로 설명하고 서버에서 추가합니다.',
    command: '명령',
    ready: '이제 운영 메시지를 보낼 수 있습니다. 먼저 본인에게 보내 보세요.',
    reportUrl: '전송 결과 URL',
    reportUrlAbout: '발송사 콘솔에서 전송 결과를 받을 곳을 물으면 입력하세요.',
    reportSecret: '전송 결과의 비밀 값',
    reportSecretAbout: '발송사가 결과를 보낼 때 “Authorization: Bearer …” 헤더나 URL의 “?token=…”으로 함께 보냅니다.',
    verifyToken: '확인 토큰',
    verifyTokenAbout: '발송사에 전송 결과 URL과 함께 입력하세요.',
  },
})

type Added = Awaited<ReturnType<typeof client.carriers.add>> & { name: string; channels: ShownChannel[] }

type Stage = { kind: 'choose' } | { kind: 'fill'; type: ShownType } | { kind: 'added'; added: Added }

const CHOOSE = { kind: 'choose' } as const

interface AddCarrierProps {
  isOpen: boolean
  carriers: readonly ShownCarrier[]
  onClose(): void
}

export function AddCarrier({ isOpen, carriers, onClose }: AddCarrierProps) {
  const say = useWords(words)
  const known = useWords(providerWords)
  const common = useWords(frameWords)
  const [step, setStep] = useState<Stage>(CHOOSE)
  const isAdded = step.kind === 'added'
  const titleOf = () => {
    if (step.kind === 'choose') return known.add
    return step.kind === 'fill' ? say.add(step.type.title) : say.added(step.added.name)
  }
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={() => setStep(CHOOSE)}
      size="lg"
      title={titleOf()}
      closeButtonProps={{ 'aria-label': common.close }}
      // A click outside must not close a secret that is shown once.
      closeOnClickOutside={!isAdded}
      closeOnEscape={!isAdded}
      withCloseButton={!isAdded}
    >
      <FocusTrap key={step.kind}>
        <div>
          {step.kind === 'choose' && (
            <TypeList carriers={carriers} onChoose={(type) => setStep({ kind: 'fill', type })} />
          )}
          {step.kind === 'fill' && (
            <CarrierForm
              type={step.type}
              initialValues={{
                name: freeName(step.type.type, carriers),
                channels: step.type.channels.slice(0, 1),
                settings: {},
              }}
              action={say.save}
              cancel={say.back}
              send={(filled) => client.carriers.add({ ...filled, type: step.type.type })}
              onDone={(answer, { name, channels }) => {
                setStep({ kind: 'added', added: { ...answer, name, channels } })
                queries.invalidateQueries({ queryKey: api.carriers.key() })
              }}
              onCancel={() => setStep(CHOOSE)}
            />
          )}
          {step.kind === 'added' && <AddedCarrier added={step.added} onDone={onClose} />}
        </div>
      </FocusTrap>
    </Modal>
  )
}

/** A taken name would be refused, and by command line it would overwrite a carrier that runs. */
function freeName(type: string, carriers: readonly ShownCarrier[]): string {
  const isFree = (name: string) => carriers.every((carrier) => carrier.name !== name)
  const further = Array.from(carriers, (_, index) => `${type}-${index + 2}`)
  return [type, ...further].find(isFree) ?? ''
}

function TypeList({ carriers, onChoose }: Pick<AddCarrierProps, 'carriers'> & { onChoose(type: ShownType): void }) {
  const say = useWords(words)
  const channels = useWords(channelWords)
  const command = useCommand()
  const types = useTypes()
  const [sought, setSought] = useState('')
  const channelsOf = (type: ShownType) => type.channels.map((channel) => channels[channel]).join(', ')
  const found = types.data?.filter((type) =>
    `${type.title} ${type.type} ${channelsOf(type)}`.toLowerCase().includes(sought.trim().toLowerCase()),
  )
  return (
    <Stack>
      <TextInput
        data-autofocus
        type="search"
        aria-label={say.search}
        placeholder={say.search}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={sought}
        onChange={(event) => setSought(event.currentTarget.value)}
      />
      {types.isPending && <Loading />}
      {types.isError && <ProblemNote failure={types.error} />}
      {found?.length === 0 && <Text size="sm">{say.nothing}</Text>}
      <Stack component="ul" gap={6} p={0} m={0}>
        {found?.map((type) => (
          <Paper component="li" key={type.type} withBorder px="sm" py={6}>
            <Group justify="space-between" gap="xs">
              <UnstyledButton flex="1 1 160px" onClick={() => onChoose(type)}>
                <Text fw={500}>{type.title}</Text>
                <Text size="sm" c="dimmed">
                  {channelsOf(type)}
                </Text>
              </UnstyledButton>
              <DocumentationLink type={type} />
            </Group>
          </Paper>
        ))}
      </Stack>
      <Text size="sm" c="dimmed">
        {say.own}
      </Text>
      <CopyBlock
        value={command(`provider set ${freeName('acme', carriers)} --type ./acme.json --channel sms`)}
        label={say.command}
      />
    </Stack>
  )
}

/** The types in the reader's words. */
function useTypes() {
  const { titles } = useWords(providerWords)
  return useQuery(
    api.carriers.types.queryOptions({
      staleTime: Number.POSITIVE_INFINITY,
      select: ({ types }) =>
        types.map((type) => ({ ...type, title: titles[type.type as keyof typeof titles] ?? type.title })),
    }),
  )
}

/** The report URL and secret for the carrier's settings, and a test. */
function AddedCarrier({ added, onDone }: { added: Added; onDone(): void }) {
  const say = useWords(words)
  const known = useWords(providerWords)
  const common = useWords(frameWords)
  const { name, channels, reportUrl, reportSecret, isVerifyToken } = added
  const about = (
    <>
      <Stack gap={4}>
        <CopyBlock value={reportUrl} label={say.reportUrl} />
        <Text size="sm" c="dimmed">
          {say.reportUrlAbout}
        </Text>
      </Stack>
      <Group justify="space-between" gap="xs">
        <Text size="sm" flex="1 1 240px">
          {say.ready}
        </Text>
        <Button
          variant="default"
          leftSection={<IconSend size={16} aria-hidden />}
          onClick={() => openCarrierTest({ name, channels })}
        >
          {known.test}
        </Button>
      </Group>
    </>
  )
  if (reportSecret === undefined)
    return (
      <Stack>
        {about}
        <Group justify="flex-end">
          <Button data-autofocus onClick={onDone}>
            {common.done}
          </Button>
        </Group>
      </Stack>
    )
  return (
    <SecretOnce secret={reportSecret} label={isVerifyToken ? say.verifyToken : say.reportSecret} onDone={onDone}>
      <Text size="sm" c="dimmed">
        {isVerifyToken ? say.verifyTokenAbout : say.reportSecretAbout}
      </Text>
      {about}
    </SecretOnce>
  )
}
