import { Button, Stack } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconUserPlus } from '@tabler/icons-react'
import { frameWords } from '../i18n/frame'
import { inWords, useWords } from '../i18n/words'
import { PageHeader } from '../parts/page-header'
import { useMay } from '../session'
import { InvitationTable } from './operators/invitation-table'
import { Invite } from './operators/invite'
import { OperatorTable } from './operators/operator-table'

const words = inWords({
  en: { about: 'Who may sign in to this console, and what each may do.', invite: 'Invite' },
  ko: { about: '이 콘솔에 로그인할 수 있는 사람과 각자의 권한입니다.', invite: '초대하기' },
})

export default function Operators() {
  const say = useWords(words)
  const common = useWords(frameWords)
  const may = useMay()
  const invite = () => {
    const modalId = modals.open({
      title: say.invite,
      // The link is shown once: a click beside it does not lose it.
      closeOnClickOutside: false,
      closeButtonProps: { 'aria-label': common.close },
      children: <Invite onClose={() => modals.close(modalId)} />,
    })
  }
  return (
    <>
      <PageHeader title={common.pages.operators} about={say.about}>
        {may('operators') && (
          <Button leftSection={<IconUserPlus size={18} aria-hidden />} onClick={invite}>
            {say.invite}
          </Button>
        )}
      </PageHeader>
      <Stack gap="xl">
        <OperatorTable />
        <InvitationTable />
      </Stack>
    </>
  )
}
