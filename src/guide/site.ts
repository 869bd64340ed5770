/** The files of the guide: a page for each of `docs/*.md`, a style sheet, a script and the search index. */
import { join } from 'node:path'
import { type BundledFile, bundledFile, type Effort, nameOf } from '../bundled'
import { type Guide, type GuidePage, type Heading, renderGuide } from './render'
import { GUIDE_PREFIX } from './shared'

const WEB = join(import.meta.dir, 'web')

/** Bundles the script and the style sheet. The metafile lists the packages they contain. */
export const bundleAssets = () =>
  Bun.build({
    entrypoints: ['guide.ts', 'guide.css'].map((file) => join(WEB, file)),
    target: 'browser',
    minify: true,
    naming: '[name]-[hash].[ext]',
    metafile: true,
  })

export async function buildGuide(effort: Effort): Promise<BundledFile[]> {
  const guide = renderGuide()
  const bundled = await bundleAssets()
  const assets = await Promise.all(
    bundled.outputs.map(async (output) => ({ name: nameOf(output), text: await output.text() })),
  )
  const index = { name: `search-${Bun.hash(guide.searchIndex).toString(36)}.json`, text: guide.searchIndex }
  const names = [index, ...assets].map(({ name }) => name)
  const pages = guide.pages.map((page) => ({ name: `${page.name}.html`, text: pageOf(page, guide, names) }))
  return Promise.all([...pages, index, ...assets].map(({ name, text }) => bundledFile(name, Buffer.from(text), effort)))
}

const escaped = (text: string) => Bun.escapeHTML(text)

const pageOf = (
  { name, title, html, headings }: GuidePage,
  { menu }: Guide,
  files: readonly string[],
) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Watchword</title>
<link rel="icon" href="/docs/icon.svg">
<link rel="stylesheet" href="${address(files, 'css')}">
<script type="module" src="${address(files, 'js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="brand" href="${GUIDE_PREFIX}"><img src="/docs/icon.svg" alt="" width="26" height="26">Watchword</a>
<div class="search" role="search">
<label class="hidden" for="search">Search the documentation</label>
<input id="search" type="search" placeholder="Search ( / )" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="found" data-index="${address(files, 'json')}">
<ul id="found" role="listbox" aria-label="Found" hidden></ul>
<p id="found-count" class="hidden" role="status"></p>
</div>
<nav class="elsewhere" aria-label="Elsewhere"><a class="to-menu" href="#menu">Pages</a><a href="/docs">API</a><a href="/console">Console</a></nav>
</header>
<div class="columns">
<nav class="menu" id="menu" aria-label="Pages">
${menu.map(({ title, links }) => `<h2>${escaped(title)}</h2>\n<ul>${links.map((link) => menuItem(link, name)).join('')}</ul>`).join('\n')}
</nav>
<main id="content">
${html}</main>
${contentsOf(headings)}
</div>
</body>
</html>
`

/** Links to the sections of a page; empty for fewer than two. */
function contentsOf(headings: readonly Heading[]): string {
  const sections = headings.filter(({ level }) => level === 2)
  if (sections.length < 2) return ''
  const links = sections.map(({ id, text }) => `<li><a href="#${id}">${escaped(text)}</a></li>`)
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${links.join('')}</ul></nav>`
}

const address = (files: readonly string[], extension: string) =>
  `${GUIDE_PREFIX}/${files.find((name) => name.endsWith(`.${extension}`))}`

const menuItem = ({ href, text }: { href: string; text: string }, current: string) =>
  `<li><a href="${href}"${href === `${GUIDE_PREFIX}/${current}` ? ' aria-current="page"' : ''}>${escaped(text)}</a></li>`
