/** The first hour of a newcomer, from the set-up link to real messages, on a real server: a picture at each step. */
import type { Page } from 'playwright-core'
import type { Server, StubCarrier } from '../binary/support'
import { check, confirm, fill, press, type Step, see } from './layout/steps'

export interface FirstRun {
  page: Page
  server: Server
  carrier: StubCarrier
  /** Takes the page as it is now. */
  picture(name: string): Promise<void>
}

export async function goThrough({ page, server, carrier, picture }: FirstRun): Promise<void> {
  const story: [string, ...Step[]][] = [
    [
      'set-up',
      (page) => page.goto(JSON.parse(server.stdout.split('\n')[0] ?? '').setUp),
      see(/owner of this|소유자가/),
    ],
    [
      'set-up-filled-in',
      fill(/^(Your name|이름)/, '김영희'),
      fill(/^(E-mail address|이메일)/, 'younghee@example.com'),
      fill(/^(Password|비밀번호)$/, 'correct horse battery'),
    ],
    ['no-app', press(/^(Create the account|계정 만들기)$/), see(/0 of 6|6단계 중 0/)],
    [
      'first-steps',
      fill(/^(Name of the app|앱 이름)/, 'Shop'),
      press(/^(Create app|앱 만들기)$/),
      see(/1 of 6|6단계 중 1/),
    ],
    ['try-it', press(/^(Try it|시험해 보기)$/, 'link'), see(/Nothing issued yet|아직 발급하지/)],
    ['code-issued', press(/^(Issue code|인증번호 발급)$/), see(/^(Delivered|도달)/)],
    ['code-verified', press(/^(Verify|확인)$/), see(/This is all|앱에서 할 일은/)],
    ['first-steps-tried', press(/^(Overview|개요)$/, 'link'), see(/2 of 6|6단계 중 2/)],
    ['keys', press(/^(Create an API key|API 키 만들기)$/, 'link'), see(/No test key yet|아직 테스트 키가/)],
    ['creating-a-key', press(/^(Create key|키 만들기)$/), see(/Where is it used|어디에서 사용/)],
    ['key', confirm(/^(Create key|키 만들기)$/), see(/Shown this once|한 번만 표시/)],
    ['keys-one', confirm(/^(I have stored it|보관했습니다)$/), see(/^sk_test_/)],
    ['first-steps-key', press(/^(Overview|개요)$/, 'link'), see(/3 of 6|6단계 중 3/)],
    ['carriers', press(/^(Carriers|발송사)$/, 'link'), see(/No carrier yet|아직 발송사가/)],
    ['choosing-a-carrier', press(/^(Add a carrier|발송사 추가)$/), see(/Clickatell/)],
    ['new-carrier', press(/^(Any HTTP API|모든 HTTP API)/), fill(/^URL/, carrier.url)],
    ['carrier-secret', confirm(/^(Add carrier|발송사 추가)$/), see(/Shown this once|한 번만 표시/)],
    ['carriers-one', confirm(/^(I have stored it|보관했습니다)$/), see(/^(Healthy|정상)$/)],
    ['first-steps-carrier', press(/^(Overview|개요)$/, 'link'), see(/4 of 6|6단계 중 4/)],
    ['wallet', press(/^(Top up|충전하기)$/, 'link'), see(/No entries yet|아직 기록이/)],
    ['topping-up', press(/^(Top up|충전)$/), fill(/^(Amount in credits|크레딧)/, '10000')],
    ['wallet-filled', confirm(/^(Top up|충전)$/), see(/^\+10,000/)],
    ['first-steps-credit', press(/^(Overview|개요)$/, 'link'), see(/^(Last 24 hours|최근 24시간)/)],
    ['webhooks', press(/^(Webhooks|웹훅)$/, 'link'), see(/No endpoint for|엔드포인트가 없습니다/)],
    [
      'new-webhook',
      press(/^(New endpoint|새 엔드포인트)$/, 'link'),
      fill(/^URL/, new URL('/hooks', carrier.url).href),
      check(/^otp\.verified/),
    ],
    ['webhook-secret', press(/^(Add endpoint|엔드포인트 추가)$/), see(/Shown this once|한 번만 표시/)],
    ['webhook', confirm(/^(I have stored it|보관했습니다)$/), see(/Nothing sent yet|아직 보낸 이벤트가/)],
    ['first-steps-all', press(/^(Overview|개요)$/, 'link'), see(/^(Last 24 hours|최근 24시간)/)],
  ]
  for (const [index, [name, ...steps]] of story.entries()) {
    for (const step of steps) await step(page)
    await picture(`${String(index + 1).padStart(2, '0')}-${name}`)
  }
}
