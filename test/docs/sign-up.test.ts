/** The sign-up of "Getting started", followed to its end by somebody with a browser. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { launch, openPage } from '../console/support'
import { HANGS_AFTER_MS } from '../support/until'
import { blocksOf } from './pages'
import { Reader } from './reader'

setDefaultTimeout(HANGS_AFTER_MS)

const PAGE = 'docs/getting-started.md'
const SECTION = 'A sign-up page'

test('it is ten lines, and ten', () => {
  const files = blocksOf(PAGE, [SECTION]).filter(({ marks }) => marks.file !== undefined)
  expect(files.map(({ marks }) => marks.file)).toEqual(['index.html', 'server.mjs'])
  for (const { text } of files) expect(text.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(10)
})

describe('whoever follows it', () => {
  const reader = new Reader()
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
    const [quickstart] = blocksOf(PAGE, ['Start a server'])
    if (!quickstart) throw new Error('There is no quickstart')
    await reader.follow([quickstart, ...blocksOf(PAGE, [SECTION])])
  })
  afterAll(async () => {
    await browser?.close()
    await reader.stop()
  })

  test('signs up on the page, and has an account', async () => {
    const { page, complaints } = await openPage(browser)
    await page.goto(reader.url('5173'))
    await page.getByLabel('Phone number').fill('010-0000-0000')
    await page.getByLabel('Phone number').press('Enter')
    await page.getByLabel('Verification code').fill('000000')
    await page.getByText('Your phone number is verified.').waitFor()
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('Account 1: +821000000000').waitFor()
    expect(complaints).toEqual([])
  })

  test('gets no account by a proof that is made up, or missing', async () => {
    for (const proof of ['made-up', '']) {
      const answer = await fetch(`${reader.url('3000')}/account`, {
        method: 'POST',
        body: new URLSearchParams({ proof }),
      })
      expect(answer.status).toBe(400)
    }
  })

  test('has a page that can be built for good', async () => {
    expect(await reader.run('VITE_OTP_KEY=pk_test_1 npm run build')).toContain('dist/index.html')
  })
})
