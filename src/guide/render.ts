/** Renders `docs/*.md` as pages of the guide. Runs at the build of the binary, and at each request when run from source. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import GithubSlugger from 'github-slugger'
import highlight from 'highlight.js/lib/common'
import MarkdownIt from 'markdown-it'
import MiniSearch from 'minisearch'
import { GUIDE_PREFIX, SEARCH_OPTIONS, type Section } from './shared'

export const DOCS = join(import.meta.dir, '../../docs')
/** The first page of the guide; its lists of links are the menu. */
const INDEX = 'README'

export interface GuidePage {
  /** `index`, or the name of the file. */
  name: string
  title: string
  /** The content of `main`. */
  html: string
  headings: readonly Heading[]
}

export interface Heading {
  level: number
  id: string
  text: string
}

export interface MenuGroup {
  title: string
  links: ReadonlyArray<{ href: string; text: string }>
}

export interface Guide {
  pages: readonly GuidePage[]
  menu: readonly MenuGroup[]
  /** The serialized index of `MiniSearch`. */
  searchIndex: string
}

export function renderGuide(): Guide {
  const files = readdirSync(DOCS).filter((file) => file.endsWith('.md'))
  const texts = new Map(files.map((file) => [file.slice(0, -'.md'.length), readFileSync(join(DOCS, file), 'utf8')]))
  const pages = [...texts].map(([name, text]) => pageOf(name, text))
  const search = new MiniSearch<Section>(SEARCH_OPTIONS)
  for (const [name, text] of texts) search.addAll(sectionsOf(name, text))
  return { pages, menu: menuOf(texts.get(INDEX) ?? ''), searchIndex: JSON.stringify(search) }
}

const markdown = new MarkdownIt({
  highlight: (code, language) => (highlight.getLanguage(language) ? highlight.highlight(code, { language }).value : ''),
})
// A wide table scrolls on its own; tabindex makes that possible by keyboard.
markdown.renderer.rules.table_open = () => '<div class="wide" role="group" aria-label="Table" tabindex="0"><table>\n'
markdown.renderer.rules.table_close = () => '</table></div>\n'

type Token = ReturnType<typeof markdown.parse>[number]

const attribute = (token: Token, name: string) => String(token.attrGet(name) ?? '')

function pageOf(file: string, text: string): GuidePage {
  const tokens = parsed(text)
  const headings = headingsOf(tokens)
  return {
    name: file === INDEX ? 'index' : file,
    title: headings[0]?.text ?? file,
    html: markdown.renderer.render(tokens, markdown.options, {}),
    headings,
  }
}

/** Adds an anchor to each heading, links to pages of the guide, and tables that scroll. */
function parsed(text: string): Token[] {
  const tokens = markdown.parse(text, {})
  const slugger = new GithubSlugger()
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') token.attrSet('id', slugger.slug(plainText(tokens[at + 1])))
    if (token.type === 'fence') token.info = token.info.split(' ')[0] ?? ''
    // An empty cell in the first row must not be a header.
    if (token.type === 'th_open' && tokens[at + 1]?.content === '')
      for (const cell of [token, tokens[at + 2]]) Object.assign(cell ?? {}, { tag: 'td' })
    // A class aligns numbers, since the policy of the page forbids style attributes.
    if (token.attrGet('style')) token.attrs = [['class', 'number']]
    linkWithinGuide(token.children ?? [])
  }
  return tokens
}

/** `carriers.md#reports` becomes a link to that page. Files outside of `docs` are not in the binary, so only their names stay. */
function linkWithinGuide(inline: readonly Token[]): void {
  for (const [at, link] of inline.entries()) {
    if (link.type !== 'link_open') continue
    const href = attribute(link, 'href')
    const [, file, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
    if (file) link.attrSet('href', `${file === INDEX ? GUIDE_PREFIX : `${GUIDE_PREFIX}/${file}`}${anchor}`)
    if (!href.startsWith('../')) continue
    const end = inline.find(({ type }, behind) => behind > at && type === 'link_close')
    for (const token of [link, end]) if (token) Object.assign(token, { type: 'text', content: '' })
  }
}

const headingsOf = (tokens: readonly Token[]): Heading[] =>
  tokens.flatMap((token, at) =>
    token.type === 'heading_open'
      ? [{ level: Number(token.tag.slice(1)), id: attribute(token, 'id'), text: plainText(tokens[at + 1]) }]
      : [],
  )

const plainText = (inline: Token | undefined): string =>
  (inline?.children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('')

/** Indexes sections: a heading with the text below it. */
function sectionsOf(file: string, text: string): Section[] {
  const { name, title } = pageOf(file, text)
  const path = name === 'index' ? GUIDE_PREFIX : `${GUIDE_PREFIX}/${name}`
  const sections: Section[] = []
  const tokens = parsed(text)
  for (const [at, token] of tokens.entries()) {
    const section = sections.at(-1)
    if (token.type === 'heading_open')
      sections.push({
        id: `${path}#${attribute(token, 'id')}`,
        page: title,
        heading: plainText(tokens[at + 1]),
        text: '',
      })
    else if (section && token.type === 'inline') section.text += ` ${plainText(token)}`
    else if (section && token.type === 'fence') section.text += ` ${token.content}`
  }
  return sections
}

/** Each heading of the index is a group of the menu, with the links to pages below it. */
function menuOf(index: string): MenuGroup[] {
  const groups: Array<MenuGroup & { links: Array<{ href: string; text: string }> }> = []
  const tokens = parsed(index)
  for (const [at, { type, tag, children }] of tokens.entries()) {
    if (type === 'heading_open' && tag === 'h2') groups.push({ title: plainText(tokens[at + 1]), links: [] })
    for (const [place, link] of (children ?? []).entries()) {
      const href = link.type === 'link_open' ? attribute(link, 'href') : ''
      if (href.startsWith(`${GUIDE_PREFIX}/`))
        groups.at(-1)?.links.push({ href, text: children?.[place + 1]?.content ?? '' })
    }
  }
  return groups
}
