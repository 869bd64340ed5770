import { client } from '../api'
import { inWords, useWords } from '../i18n/words'
import { PageHeader } from '../parts/page-header'
import { useSession } from '../session'
import { PersonForm, UsedLink, useLinkToken } from './entering/person-form'

const words = inWords({
  en: {
    title: 'Set up Watchword',
    about: 'Create the first account. It is the owner of this installation and can invite others.',
    action: 'Create the account',
  },
  ko: {
    title: 'Watchword 시작하기',
    about: '첫 계정을 만듭니다. 이 계정이 소유자가 되며 다른 운영자를 초대할 수 있습니다.',
    action: '계정 만들기',
  },
})

export default function SetUp() {
  const say = useWords(words)
  const token = useLinkToken()
  const { needsSetup, operator } = useSession()
  const isUsable = token !== undefined && (needsSetup || operator !== undefined)
  return (
    <>
      <PageHeader title={say.title} about={isUsable ? say.about : undefined} />
      {isUsable ? (
        <PersonForm action={say.action} make={(person) => client.session.setUp({ token, ...person })} />
      ) : (
        <UsedLink />
      )}
    </>
  )
}
