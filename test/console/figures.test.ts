/** The figures and charts of overview and usage: nothing, one code, many. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { newFolder, programIn, Server } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'
import { EMPTY } from './layout/answers'
import { faultsOf, launch, type Opened, openPage, stub } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const HOUR_MS = 3_600_000
const MIDNIGHT = Date.UTC(2026, 0, 2)

const NOTHING = { issued: 0, sent: 0, delivered: 0, failed: 0, verified: 0, spent: 0, messages: 0 }

/** A day whose hours saw these numbers of codes, every second one of which was verified. */
function dayOf(issued: readonly number[]) {
  const series = Array.from({ length: 24 }, (_, hour) => ({
    ...NOTHING,
    at: MIDNIGHT + hour * HOUR_MS,
    issued: issued[hour] ?? 0,
    verified: Math.floor((issued[hour] ?? 0) / 2),
  }))
  const sum = (of: 'issued' | 'verified') => series.reduce((total, hour) => total + hour[of], 0)
  const total = { ...NOTHING, issued: sum('issued'), verified: sum('verified') }
  return { total, series, groups: [{ ...total, name: 'sms' }] }
}

const CALM = { total: 0, before: 0, series: [], rules: [], unusual: [] }
const overviewOf = ({ total, series }: Pick<ReturnType<typeof dayOf>, 'total' | 'series'>, refused: object = CALM) => ({
  'overview/show': { ...EMPTY['overview/show'], total, series, refused },
})

/** A month whose days saw these numbers of codes. */
const reportOf = (issued: readonly number[]) => {
  const row = (count: number) => ({ ...NOTHING, issued: count, cost: [], unpriced: 0 })
  const rows = issued.map((count, day) => ({ ...row(count), day: `2026-01-${String(day + 1).padStart(2, '0')}` }))
  return { total: row(issued.reduce((sum, count) => sum + count, 0)), rows: rows.filter(({ issued }) => issued > 0) }
}

const OWNER = {
  operatorId: 'o1',
  email: 'owner@example.com',
  name: 'Kim Owner',
  role: 'owner',
  hasTotp: false,
  createdAt: MIDNIGHT,
  permissions: ['look'],
}
const ANSWERS = {
  'session/current': { needsSetup: false, organization: 'Example', version: '0.1.0', operator: OWNER },
  'apps/list': {
    apps: [{ appId: 'a1', name: 'Shop', createdAt: MIDNIGHT }],
    defaultRegion: 'KR',
    liveRetentionDays: 180,
  },
}

const folder = newFolder()
let server: Server
let browser: Browser
beforeAll(async () => {
  server = await Server.start(programIn(folder.path))
  browser = await launch()
})
afterAll(async () => {
  await browser?.close()
  await server?.stop('SIGKILL')
  folder.remove()
})
afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
})

async function open(path: string, issued: readonly number[], total: Partial<typeof NOTHING> = {}): Promise<Opened> {
  const opened = await openPage(browser, { timezoneId: 'UTC' })
  const day = dayOf(issued)
  const counted = { ...day, total: { ...day.total, ...total } }
  await stub(opened.page, { ...ANSWERS, ...overviewOf(counted), 'usage/report': reportOf(issued) })
  if (path === 'usage') await opened.page.clock.setFixedTime(new Date('2026-01-31T10:30:00Z'))
  await opened.page.goto(`${server.url}/console/${path}`)
  return opened
}

/** What stands on the axes of a chart, but for names of hours, days and groups. */
const numbersOn = async (page: Page, chart: string) => {
  const axes = page.getByRole('img', { name: chart }).locator('svg text')
  await axes.first().waitFor()
  return (await axes.allTextContents()).filter((text) => /^[\d.,]+$/.test(text))
}

/** How far apart the names on the lower axis are, in steps; and how many there are. */
async function gapsOn(page: Page, chart: string, names: readonly string[]) {
  const axis = page.getByRole('img', { name: chart }).locator('.recharts-xAxis-tick-labels text')
  await axis.first().waitFor()
  const places = (await axis.allTextContents()).map((name) => names.indexOf(name))
  expect(places).not.toContain(-1)
  return { count: places.length, gaps: new Set(places.slice(1).map((place, index) => place - (places[index] ?? 0))) }
}

describe.each([360, 768, 1280, 1600])('at %d pixels', (width) => {
  test('the names of hours and days stand at equal distances', async () => {
    const two = (number: number) => String(number).padStart(2, '0')
    const days = Array.from({ length: 31 }, (_, day) => `01-${two(day + 1)}`)
    const hours = Array.from({ length: 24 }, (_, hour) => `${two(hour)}:00`)
    const { page } = await open('', [1])
    await page.setViewportSize({ width, height: 900 })
    const onOverview = await gapsOn(page, 'hour by hour', hours)
    await page.clock.setFixedTime(new Date('2026-01-31T10:30:00Z'))
    await page.goto(`${server.url}/console/usage`)
    const onUsage = await gapsOn(page, 'Chart of Codes', days)
    for (const { count, gaps } of [onOverview, onUsage]) {
      expect(count).toBeGreaterThan(2)
      expect(gaps.size).toBe(1)
    }
  })
})

test('a chart that is still too wide does not lie over its neighbour', async () => {
  const { page } = await open('usage', [1])
  const charts = page.getByRole('img', { name: 'Chart of' })
  await charts.nth(1).locator('svg').first().waitFor()
  const covered = await charts.first().evaluate((chart) => {
    const drawing = chart.querySelector('svg') as SVGElement
    const { top, bottom, right } = drawing.getBoundingClientRect()
    Object.assign(drawing.style, { width: '2000px', maxWidth: 'none', position: 'relative', zIndex: 1 })
    return chart.contains(document.elementFromPoint(right + 100, (top + bottom) / 2))
  })
  expect(covered).toBe(false)
})

describe('the overview', () => {
  test('shares nothing out where nothing was issued, and says what will be there', async () => {
    const { page, complaints } = await open('', [])
    await page.getByText('Nothing was issued in the last 24 hours.').waitFor()
    expect(await page.getByText(/of (issued|reported)$/).count()).toBe(0)
    expect(await page.getByRole('img', { name: 'hour by hour' }).count()).toBe(0)
    expect(await faultsOf(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  test('shares out what is decided, and only that', async () => {
    const { page } = await open('', [10], { delivered: 3, failed: 1 })
    const figure = (name: string) => page.locator('dl > div').filter({ hasText: name })
    await figure('Delivered').getByText('75% of reported', { exact: true }).waitFor()
    await figure('Failed').getByText('25% of reported', { exact: true }).waitFor()
    const undecided = await open('', [10], { delivered: 0, failed: 0 })
    await undecided.page.getByText(/of issued$/).waitFor()
    expect(await undecided.page.getByText(/of reported$/).count()).toBe(0)
  })

  test('draws one code against whole numbers', async () => {
    const { page } = await open('', [0, 0, 1])
    const numbers = await numbersOn(page, 'hour by hour')
    expect(numbers.length).toBeGreaterThan(1)
    expect(numbers.filter((number) => !/^\d+$/.test(number))).toEqual([])
    await page.getByText('Busiest at 02:00: 1 issued, 0 verified.').waitFor()
    await page.getByText('0% of issued').first().waitFor()
  })

  test('says in a sentence and in a table what it draws of many', async () => {
    const { page, complaints } = await open('', [0, 10, 1_200, 30])
    await numbersOn(page, 'hour by hour')
    await page.getByText('Busiest at 02:00: 1,200 issued, 600 verified.').waitFor()
    const table = page.getByRole('table', { name: 'Issued and verified, hour by hour' })
    expect(await table.getByRole('row').allTextContents()).toEqual([
      'HourIssuedVerified',
      '01:00105',
      '02:001,200600',
      '03:003015',
    ])
    expect(await faultsOf(page)).toEqual([])
    await page.evaluate(() => localStorage.setItem('watchword.time-zone', 'Asia/Seoul'))
    await page.reload()
    await page.getByText('Busiest at 11:00: 1,200 issued, 600 verified.').waitFor()
    expect(complaints).toEqual([])
  })

  test('draws with what is loaded after its figures', async () => {
    const { page, requests } = await open('', [])
    await page.getByText('Nothing was issued in the last 24 hours.').waitFor()
    const before = requests.length
    await stub(page, overviewOf(dayOf([1])))
    await page.getByRole('img', { name: 'hour by hour' }).locator('svg text').first().waitFor()
    expect(requests.slice(before).filter((url) => url.endsWith('.js')).length).toBeGreaterThan(0)
  })
})

describe('usage', () => {
  test('counts stand against whole numbers, with one code as with many', async () => {
    const { page } = await open('usage', [0, 0, 1])
    const numbers = await numbersOn(page, 'Chart of Codes')
    expect(numbers.length).toBeGreaterThan(1)
    expect(numbers.filter((number) => !/^\d+$/.test(number))).toEqual([])
  })

  test.each([
    ['Last 7 days', '2026-01-25', '2026-01-31'],
    ['Last 30 days', '2026-01-02', '2026-01-31'],
    ['This month', '2026-01-01', '2026-01-31'],
    ['Last month', '2025-12-01', '2025-12-31'],
  ])('“Custom” after “%s” begins with the days that were shown', async (range, from, to) => {
    const { page } = await open('usage', [1])
    await page.getByText(range, { exact: true }).click()
    await page.getByText('Custom', { exact: true }).click()
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe(from)
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(to)
  })

  test('is asked in days of the reader, and compared with the same days of the month before', async () => {
    const { page } = await openPage(browser, { timezoneId: 'Asia/Kolkata' })
    await page.clock.setFixedTime(new Date('2026-03-30T19:00:00Z'))
    await stub(page, { ...ANSWERS, 'usage/report': reportOf([1]) })
    const asked: object[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('usage/report')) asked.push(request.postDataJSON().json)
    })
    await page.goto(`${server.url}/console/usage`)
    await page.getByText('2026-03-01 – 2026-03-31, compared with 2026-02-01 – 2026-02-28').waitFor()
    await page.getByRole('img', { name: 'Chart of' }).first().waitFor()
    const timeZone = 'Asia/Calcutta'
    expect(asked).toContainEqual(
      expect.objectContaining({ from: '2026-03-01', to: '2026-03-31', timeZone, groupBy: ['day'], appId: 'a1' }),
    )
    expect(asked).toContainEqual(expect.objectContaining({ from: '2026-02-01', to: '2026-02-28', groupBy: [] }))
  })

  test('sorts by any column, and says by which', async () => {
    const { page, complaints } = await open('usage', [3, 20, 1])
    const table = page.getByRole('region', { name: 'Sums: Table' })
    await page.getByText('Day', { exact: true }).first().click()
    const issued = table.getByRole('columnheader', { name: 'Issued' })
    expect(await issued.getAttribute('aria-sort')).toBe('descending')
    await issued.getByRole('button').click()
    const day = table.getByRole('columnheader', { name: 'Day' })
    expect(await issued.getAttribute('aria-sort')).toBe('ascending')
    expect(await day.getAttribute('aria-sort')).toBe('none')
    expect(await table.getByText(/^2026-01-0\d$/).allTextContents()).toEqual(['2026-01-03', '2026-01-01', '2026-01-02'])
    await day.getByRole('button').press('Enter')
    expect(await table.getByText(/^2026-01-0\d$/).allTextContents()).toEqual(['2026-01-01', '2026-01-02', '2026-01-03'])
    expect(page.url()).toContain('sort=day')
    expect(await faultsOf(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})

test('the overview counts what was refused beside the time before, and needs attention while that is more than usual', async () => {
  const look = async (refused: object) => {
    const { page } = await openPage(browser)
    await stub(page, { ...EMPTY, ...overviewOf(dayOf([]), refused) })
    await page.goto(`${server.url}/console/?mode=live`)
    return page
  }
  const rules = [{ rule: 'cap', refused: 12, before: 8 }]
  const calm = await look({ ...CALM, total: 12, before: 8, rules })
  const well = calm.getByRole('status').filter({ hasText: 'Nothing needs attention' })
  await well.waitFor()
  // What refuses customers is never green.
  expect(await well.locator('svg').evaluate((icon) => getComputedStyle(icon).color)).toBe(
    await well.getByText('Nothing needs attention').evaluate((text) => getComputedStyle(text).color),
  )
  const tile = calm.locator('dl > div', { hasText: 'Refused' })
  await tile.getByText('12', { exact: true }).waitFor()
  await tile.getByText('+50% from 8', { exact: true }).waitFor()
  const reasons = calm.getByRole('region', { name: 'Refused, by reason' })
  expect(await reasons.getByRole('listitem').allTextContents()).toEqual(['Over a cap12 8 before'])
  const troubled = await look({ ...CALM, total: 310, unusual: [{ appId: 'a1', lately: 299, usual: 3 }] })
  await troubled.getByText('299 within an hour, usually at most 3.').waitFor()
  expect(await troubled.getByText('Nothing needs attention').count()).toBe(0)
  await troubled.getByRole('link', { name: 'Shop: more codes are refused than usual' }).click()
  await troubled.getByRole('heading', { level: 1, name: 'Protection' }).waitFor()
  expect(troubled.url()).toContain('group=rule')
})

test('the overview makes one concern of six countries, says since when, and leads to them in one click', async () => {
  const countries = ['VN', 'KH', 'LA', 'MM', 'TH', 'ID']
  const incidents = countries.map((country, hours) => ({
    ...{ incidentId: country, appId: 'a1', kind: 'sk', country, isBlocked: true, refused: 10, rules: ['cap'], cost: 0 },
    ...{ since: Date.now() - (hours + 1) * HOUR_MS, lastAt: Date.now() },
  }))
  const { page } = await openPage(browser)
  await stub(page, { ...EMPTY, 'overview/show': { ...EMPTY['overview/show'], incidents } })
  await page.goto(`${server.url}/console/`)
  const concerns = page.getByRole('status').getByRole('listitem')
  await concerns.first().waitFor()
  expect(await concerns.allTextContents()).toEqual([
    'Customers are affected:Shop: codes to 6 countries exceed a cap' +
      'Vietnam, Cambodia, Laos, Myanmar (Burma), Thailand, and 1 more. Refused so far: 60. · since 6 hours ago',
  ])
  expect(await faultsOf(page)).toEqual([])
  await concerns.getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: 'Protection' }).waitFor()
})
