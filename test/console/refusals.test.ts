/** Whatever the server refuses is told in the reader's language: no sentence of its own reaches the page. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { errors } from '../../contract/error'
import { REASONS } from '../../contract/reason'
import { OPERATOR_REASONS } from '../../src/domain/shared/reason'
import { released } from '../binary/compiled'
import { newFolder, runJson } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'
import { OpenConsole } from './open-console'
import { openPage } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
let opened: OpenConsole
let page: Page

beforeAll(async () => {
  const program = await released(folder.path)
  await runJson(program, 'app', 'create', 'Shop')
  opened = await OpenConsole.start(program)
  const storageState = await opened.page.context().storageState()
  page = (await openPage(opened.browser, { locale: 'ko-KR', storageState })).page
})

afterAll(async () => {
  await opened?.stop()
  folder.remove()
})

const go = (path: string) => page.goto(`${opened.server.url}/console${path}`)
const inDialog = () => page.getByRole('dialog')

/** What a sentence of the server looks like, whatever names and examples stand in one of ours. */
const ENGLISH = /\b(must|should|cannot|is not|no such|does not|at least|at most|the|your)\b/i
const HANGUL = /\p{Script=Hangul}/u

/** Everything any sentence speaks of. */
const ABOUT = {
  ...{ min: 3, max: 20, maxBytes: 90, port: 8080, expected: 'string', choices: ['a', 'b'], channel: 'sms' },
  ...{ scope: 'otp:issue', origin: 'https://a.example', network: '10.0.0.0/33', name: 'x', address: '10.0.0.1' },
  ...{ placeholder: '{{1}}', provider: 'main', what: 'issue', says: 'x' },
}

describe('in Korean', () => {
  test('every reason and every code has words of its own', async () => {
    const refusals = [
      ...Object.keys({ ...REASONS, ...OPERATOR_REASONS }).map((reason) => ({
        code: 'BAD_REQUEST' as const,
        data: { param: 'elsewhere', reason, about: ABOUT },
      })),
      ...(Object.keys(errors) as Array<keyof typeof errors>).map((code) => ({ code, data: undefined })),
      { code: 'TOO_MANY_REQUESTS' as const, data: { retryAfterMs: 60_000 } },
    ]
    let next = 0
    await page.route('**/console/rpc/apps/create', (route) => {
      const { code, data } = refusals[next] ?? refusals[0] ?? { code: 'BAD_REQUEST' }
      const { status } = errors[code]
      const json = { json: { defined: true, code, status, message: 'The server must not be quoted', data } }
      return route.fulfill({ status, headers: { 'x-request-id': `request-${next}-` }, json })
    })
    await go('/apps')
    const form = page.locator('form').filter({ has: page.getByRole('button', { name: '앱 만들기' }) })
    await form.getByRole('textbox').fill('x')
    const told = new Set<string>()
    for (const [index, refusal] of refusals.entries()) {
      next = index
      await form.getByRole('button', { name: '앱 만들기' }).click()
      const alert = form.getByRole('alert').filter({ hasText: `request-${index}-` })
      const text = (await alert.textContent()) ?? ''
      expect({ refusal, text, isKorean: HANGUL.test(text.replace(/처리하지 못했습니다|요청 ID/g, '')) }).toMatchObject({
        isKorean: true,
      })
      expect(text).not.toMatch(ENGLISH)
      expect(text).not.toMatch(/undefined|\[object/)
      told.add(text.replace(/request-\d+-.*/, ''))
    }
    // Some reasons share a sentence, most do not.
    expect(told.size).toBeGreaterThan(refusals.length * 0.85)
    await page.unroute('**/console/rpc/apps/create')
  })

  test('beside a field, and above a form', async () => {
    await go('/keys?mode=test')
    await page.getByRole('button', { name: '키 만들기' }).first().click()
    await inDialog().getByLabel('허용 네트워크').fill('not-a-network')
    await inDialog().getByRole('button', { name: '키 만들기' }).click()
    await inDialog().getByText('‘not-a-network’은(는) 203.0.113.0/24 같은 네트워크가 아닙니다.').waitFor()
    expect(await inDialog().textContent()).not.toMatch(ENGLISH)

    await go('/webhooks/edit')
    await page.getByLabel('URL').fill('https://me:password@app.example.com/hooks')
    await page.locator('form button[type=submit]').click()
    const besideUrl = page.getByText('주소에 사용자 이름이나 비밀번호를 넣을 수 없습니다. 헤더를 쓰세요.')
    await besideUrl.waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.getByLabel('URL').fill('https://10.0.0.1/hooks')
    await besideUrl.waitFor({ state: 'detached' })
    await page.getByText('직접 작성한 JSON').click()
    await page.getByLabel('페이로드 템플릿').fill('{"what": {{1}}}')
    await page.getByText('{{1}}은(는) 값의 경로가 아닙니다.').waitFor()
    await page.locator('form button[type=submit]').click()
    await page.getByRole('alert').getByText('페이로드 템플릿').waitFor()
    expect(await page.getByRole('alert').textContent()).not.toMatch(ENGLISH)
  })

  test('of what is typed, and of what is not there', async () => {
    await go('/templates/edit')
    await page.getByLabel('메시지 문구').fill('#{who}')
    await page.getByText('문구에 #{code}가 있어야 합니다.').first().waitFor()

    await go('/try-it')
    await page.getByLabel('시나리오').selectOption({ label: '다른 매직 번호' })
    await page.getByLabel('전화번호').fill('010-1234-5678')
    await page.getByRole('button', { name: '인증번호 발급' }).click()
    await page.getByText('매직 번호로만 발급됩니다').waitFor()

    await go('/privacy')
    for (const button of ['내보내기', '삭제']) {
      await page.getByLabel('전화번호').fill('')
      await page.getByRole('button', { name: button, exact: true }).click()
      await page.getByText('번호를 입력하세요.').waitFor()
      await page.getByLabel('전화번호').fill('who')
      await page.getByRole('button', { name: button, exact: true }).click()
      await page.getByText('전화번호가 아닙니다.').waitFor()
    }

    await go('/issues/0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77')
    await page.getByText('없거나 삭제된 발급 건입니다.').waitFor()
  })
})
