/**
 * The pages a reader has, README.md, docs/ and those of examples/, in parts: headings, links and fenced blocks. What stands behind a block's
 * language is invisible to readers and says what tests do with it:
 *
 * - `sh`: run, in the folder of those before it; `sh serve`: run beside what follows, until the story ends
 * - `file=NAME`: written there; `text prints`: what the block before it prints, where `…` is anything
 * - `json`: read for what it claims
 * - `untested="reason"`: left alone
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../binary/support'

export interface Block {
  page: string
  line: number
  /** The headings it stands under, the page's own first. */
  under: string[]
  language: string
  marks: Readonly<Record<string, string>>
  text: string
}

export interface Link {
  line: number
  target: string
}

export interface Page {
  name: string
  anchors: ReadonlySet<string>
  links: Link[]
  blocks: Block[]
}

const NAMES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`),
  ...readdirSync(join(ROOT, 'examples'))
    .sort()
    .map((name) => `examples/${name}/README.md`),
]

export const pages: readonly Page[] = NAMES.map(readPage)

export const pageOf = (name: string): Page => {
  const page = pages.find((one) => one.name === name)
  if (!page) throw new Error(`No such page: ${name}`)
  return page
}

/** The blocks of a page, or of some of its sections: what stands between their heading and the next. */
export function blocksOf(name: string, sections?: readonly string[]): Block[] {
  const { blocks } = pageOf(name)
  if (!sections) return blocks
  return sections.flatMap((section) => {
    const found = blocks.filter(({ under }) => under.at(-1) === section)
    if (found.length === 0) throw new Error(`${name} has no blocks under "${section}"`)
    return found
  })
}

function readPage(name: string): Page {
  const page = { name, anchors: new Set<string>(), links: [] as Link[], blocks: [] as Block[] }
  let under: string[] = []
  let open: Block | undefined
  for (const [index, text] of readFileSync(join(ROOT, name), 'utf8').split('\n').entries()) {
    const line = index + 1
    const [, fence] = /^ *```(.*)$/.exec(text) ?? []
    if (open && fence === '') {
      page.blocks.push(open)
      open = undefined
    } else if (open) open.text += `${text}\n`
    else if (fence !== undefined) open = { page: name, line, under, ...readInfo(fence), text: '' }
    else {
      const [, depth = '', heading = ''] = /^(#+) (.+)$/.exec(text) ?? []
      if (heading) {
        under = [...under.slice(0, depth.length - 1), heading]
        page.anchors.add(anchorOf(heading, page.anchors))
      }
      for (const [, target = ''] of text.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g))
        page.links.push({ line, target })
    }
  }
  if (open) throw new Error(`${name}:${open.line}: the block is not closed`)
  return page
}

function readInfo(info: string): Pick<Block, 'language' | 'marks'> {
  const [language = '', ...words] = info.match(/[^\s="]+(?:="[^"]*"|=[^\s"]*)?/g) ?? []
  const marks = words.map((word) => {
    const [, mark = '', value = ''] = /^([^=]+)(?:="?([^"]*)"?)?$/.exec(word) ?? []
    return [mark, value]
  })
  return { language, marks: Object.fromEntries(marks) }
}

/** As GitHub makes them of headings. */
function anchorOf(heading: string, taken: ReadonlySet<string>): string {
  const plain = heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
  let anchor = plain
  for (let again = 1; taken.has(anchor); again++) anchor = `${plain}-${again}`
  return anchor
}
