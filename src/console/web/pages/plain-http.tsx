/** Replaces the sign-in pages over plain http, where browsers drop the session cookie, and offers two solutions. */
import { Anchor, Stack, Text, Title } from '@mantine/core'
import { inWords, useWords } from '../i18n/words'
import { CopyBlock } from '../parts/copy'
import { PageHeader } from '../parts/page-header'

const words = inWords({
  en: {
    title: 'Signing in needs https',
    why: (host: string) =>
      `This page came from ${host} over plain http. Others on the network could read your password, so browsers keep the session cookie only over https or on their own machine. Nobody can sign in here.`,
    now: 'Right now: a tunnel',
    run: 'On your own machine',
    open: 'Leave it open, and follow this link, which leads to the same page:',
    good: 'Permanently: https',
    proxy: 'Put a reverse proxy with a certificate in front, and start the server with its address:',
    setting: 'Server setting',
  },
  ko: {
    title: '로그인하려면 https가 필요합니다',
    why: (host) =>
      `이 페이지는 ${host}에서 암호화되지 않은 http로 열렸습니다. 중간에서 누군가 비밀번호를 볼 수 있어 브라우저는 https나 자기 컴퓨터에서 열린 페이지의 로그인 쿠키만 저장합니다. 그래서 이 주소에서는 로그인할 수 없습니다.`,
    now: '지금 바로: SSH 터널',
    run: '내 컴퓨터에서 실행',
    open: '터널을 열어 둔 채 이 링크를 열면 같은 페이지가 나옵니다.',
    good: '계속 사용하려면: https',
    proxy: '인증서가 있는 리버스 프록시를 앞에 두고, 그 주소로 서버를 시작하세요.',
    setting: '서버 환경 변수',
  },
})

export default function PlainHttp() {
  const say = useWords(words)
  const { hostname, host, port, pathname, search, hash } = location
  const number = port || '80'
  const sshHost = hostname.replace(/^\[|\]$/g, '')
  const isName = /[a-z]$/i.test(hostname)
  // Keeps the token of a set-up link or an invitation.
  const link = `http://127.0.0.1:${number}${pathname}${search}${hash}`
  return (
    <Stack>
      <PageHeader title={say.title} />
      <Text size="sm">{say.why(host)}</Text>
      <Title order={2}>{say.now}</Title>
      <CopyBlock label={say.run} value={`ssh -L ${number}:127.0.0.1:${number} ${sshHost}`} />
      <Text size="sm">
        {say.open}{' '}
        <Anchor href={link} inherit style={{ overflowWrap: 'anywhere' }}>
          {link}
        </Anchor>
      </Text>
      <Title order={2}>{say.good}</Title>
      <Text size="sm">{say.proxy}</Text>
      <CopyBlock
        label={say.setting}
        value={`WATCHWORD_PUBLIC_URL=https://${isName ? hostname : 'watchword.example.com'}`}
      />
    </Stack>
  )
}
