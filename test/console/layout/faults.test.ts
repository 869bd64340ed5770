/** Each fault is found on a page that has it, and on the same page mended there is none. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { isNightly } from '../../support/depth'
import { HANGS_AFTER_MS } from '../../support/until'
import { launch, openPage } from '../support'
import { EVERY_WIDTH, faultsEverywhere, measuringScript, NARROW_AND_WIDE } from './measure'

setDefaultTimeout(HANGS_AFTER_MS)

let browser: Browser
let page: Page

beforeAll(async () => {
  browser = await launch()
  page = (await openPage(browser)).page
  await page.addInitScript(await measuringScript())
  await page.goto('about:blank')
})
afterAll(() => browser?.close())

const BASE = 'body { margin: 16px; font: 16px sans-serif; color: #222; background: #fff } button { font: inherit }'

async function kindsOf(style: string, body: string): Promise<string[]> {
  await page.setContent(`<!doctype html><style>${BASE} ${style}</style>${body}`)
  const faults = await faultsEverywhere(page, isNightly ? EVERY_WIDTH : NARROW_AND_WIDE)
  return [...new Set(faults.map((fault) => /^\d+ \w+ (\w+):/.exec(fault)?.[1] ?? fault))]
}

interface Case {
  what: string
  kind: string
  style: string
  broken: string
  mended: string
}

/** The list of first steps as it was, under the class that two style sheets defined. */
const STEP = `
  ol { list-style: none; padding: 0 }
  .row { display: flex; flex-wrap: nowrap; align-items: flex-start; gap: 16px }
  .number { flex: none; width: 28px; height: 28px }
  .rest { display: flex; flex-direction: column; flex: 1; min-width: 0 }
  .pair { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 10px }
  .words { flex: 1 1 240px }
  .go { overflow: hidden; max-width: 100%; padding: 4px 14px; white-space: nowrap; color: #fff; background: #364fc7; border: 0 }
  .go span { display: block; overflow: hidden; text-overflow: ellipsis }
  .rest > * { max-width: 100% }
  .words { min-width: 0 }`
const ROW = `<div class="row"><div class="number">1</div><div class="rest"><div class="pair">
  <div class="words"><b>Try it</b><p>Issue a test code to a magic number, watch it arrive, type it.</p></div>
  <button class="go"><span>Try it</span></button></div></div></div>`

const CASES: Case[] = [
  {
    what: 'a step squeezed into the column of its number',
    kind: 'squeezed',
    style: `${STEP} .grid { display: grid; grid-template-columns: 28px minmax(0, 1fr); gap: 12px }`,
    broken: `<ol><li class="grid">${ROW}</li></ol>`,
    mended: `<ol><li>${ROW}</li></ol>`,
  },
  {
    what: 'a button whose label has no room',
    kind: 'label',
    style: `${STEP} .narrow { width: 28px }`,
    broken: '<button class="go narrow"><span>Try it</span></button>',
    mended: '<button class="go"><span>Try it</span></button>',
  },
  {
    what: 'a picture nobody can name',
    kind: 'label',
    style: 'svg { width: 16px; height: 16px }',
    broken: '<button><svg viewBox="0 0 1 1"><path d="M0 0h1v1z" /></svg></button>',
    mended: '<button aria-label="Copy"><svg viewBox="0 0 1 1"><path d="M0 0h1v1z" /></svg></button>',
  },
  {
    what: 'a name that shows nothing',
    kind: 'label',
    style: 'button { width: 30px; height: 30px }',
    broken: '<button aria-label="Copy"></button>',
    mended: '<button aria-label="Copy">⧉</button>',
  },
  {
    what: 'a field without a name',
    kind: 'label',
    style: '',
    broken: '<input>',
    mended: '<label>Purpose <input></label>',
  },
  {
    what: 'a control of no size',
    kind: 'label',
    style: '.gone { display: inline-block; width: 0; overflow: hidden }',
    broken: '<a class="gone" href="#x">Look</a>',
    mended: '<a href="#x">Look</a>',
  },
  {
    what: 'a label that lies on its value, both in one cell',
    kind: 'overlap',
    style: '.cell { display: grid; grid-template-columns: 96px 200px } .nowrap { white-space: nowrap }',
    broken: '<div class="cell"><span class="nowrap">Verification conversion</span>75%</div>',
    mended: '<div class="cell"><span>Verification conversion</span>75%</div>',
  },
  {
    what: 'a text on another',
    kind: 'overlap',
    style: '.up { margin-top: -14px }',
    broken: '<div>987,654,321</div><div class="up">12,345,678</div>',
    mended: '<div>987,654,321</div><div>12,345,678</div>',
  },
  {
    what: 'a button on a field',
    kind: 'overlap',
    style:
      'div { position: relative; width: 200px } input { width: 100% } button { position: absolute; right: 0; top: 0 }',
    broken: '<div><input aria-label="Key" ><button>Copy</button></div>',
    mended:
      '<div><input aria-label="Key" style="padding-right: 80px; box-sizing: border-box"><button>Copy</button></div>',
  },
  {
    what: 'a page wider than the screen',
    kind: 'overflow',
    style: 'p { white-space: nowrap }',
    broken: `<p>${'wide '.repeat(400)}</p>`,
    mended: `<p style="overflow-x: auto">${'wide '.repeat(400)}</p>`,
  },
  {
    what: 'a text outside its card',
    kind: 'overflow',
    style: '.card { width: 160px; padding: 8px; border: 1px solid #999 }',
    broken: '<div class="card">https://gateway.internal.department.example.com</div>',
    mended: '<div class="card" style="overflow-wrap: anywhere">https://gateway.internal.department.example.com</div>',
  },
  {
    what: 'a text that is cut off',
    kind: 'clipped',
    style: '.one-line { width: 160px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis }',
    broken: '<p class="one-line">https://gateway.example.com/webhooks</p>',
    mended: '<p class="one-line" title="https://gateway.example.com/webhooks">https://gateway.example.com/webhooks</p>',
  },
  {
    what: 'lines that are cut off',
    kind: 'clipped',
    style: 'p { width: 160px; height: 22px; line-height: 22px; overflow: hidden }',
    broken: '<p>All that is said on the second line is lost to everybody.</p>',
    mended: '<p style="height: auto">All that is said on the second line is lost to everybody.</p>',
  },
  {
    what: 'a choice that is cut off',
    kind: 'clipped',
    style: 'select { width: 80px }',
    broken: '<select aria-label="Event"><option>otp.max_attempts</option></select>',
    mended: '<select aria-label="Event" style="width: 200px"><option>otp.max_attempts</option></select>',
  },
  {
    what: 'a hint that is cut off',
    kind: 'clipped',
    style: 'input { width: 80px }',
    broken: '<input aria-label="Search" placeholder="Issue id, or how the purpose begins">',
    mended: '<input aria-label="Search" placeholder="Issue id">',
  },
  {
    what: 'a table whose last columns have to be scrolled to',
    kind: 'clipped',
    style: '.frame { width: 300px; overflow: auto } th { min-width: 80px }',
    broken: `<div class="frame"><table><tr>${'<th>Number</th>'.repeat(7)}</tr></table></div>`,
    mended: `<div class="frame"><table><tr>${'<th>Number</th>'.repeat(3)}</tr></table></div>`,
  },
  {
    what: 'a pale text',
    kind: 'contrast',
    style: '',
    broken: '<p style="color: #aaa">Nothing is sent.</p>',
    mended: '<p style="color: #666">Nothing is sent.</p>',
  },
  {
    what: 'a text as its ground',
    kind: 'contrast',
    style: 'button { border: 0; background: #364fc7 }',
    broken: '<button style="color: #364fc7">Try it</button>',
    mended: '<button style="color: #fff">Try it</button>',
  },
  {
    what: 'a text pale in the dark only',
    kind: 'contrast',
    style: '@media (prefers-color-scheme: dark) { body { background: #1a1b1e; color: #eee } }',
    broken: '<p style="color: #444">Nothing is sent.</p>',
    mended: '<p>Nothing is sent.</p>',
  },
  {
    what: 'a mark laid under a text too near to its colour',
    kind: 'contrast',
    style: `div { position: relative; width: 60px } i { position: absolute; inset: 0 } span { position: relative; color: #fff }`,
    broken: '<div><i style="background: #ffd8a8"></i><span>Live</span></div>',
    mended: '<div><i style="background: #087f5b"></i><span>Live</span></div>',
  },
]

describe('the measuring finds', () => {
  test.each(CASES.map((one) => [one.what, one] as const))('%s', async (_, { kind, style, broken, mended }) => {
    expect(await kindsOf(style, broken)).toContain(kind)
    expect(await kindsOf(style, mended)).toEqual([])
  })
})
