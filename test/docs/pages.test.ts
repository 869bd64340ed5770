/** What can be read off the pages without following them. */
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'
import { describeSettings } from '../../src/config'
import { ROOT } from '../binary/support'
import { type Block, blocksOf, pageOf, pages } from './pages'
import { followed } from './stories'

const textOf = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const whereOf = ({ page, line }: Block) => `${page}:${line}`

test('the README is one that is read to its end', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThan(90)
})

test('the two commands stand in the README as they are checked', () => {
  const commands = blocksOf('README.md').map(({ text }) => text.trim())
  for (const command of ['run quickstart', 'run ci']) expect(commands).toContain(`npx --yes bun@1.4.5 ${command}`)
  expect(textOf('.ci/run')).toContain('npx --yes bun@1.4.5 run ci')
})

describe('every link leads somewhere:', () => {
  test.each(pages.map(({ name }) => name))('%s', (name) => {
    const wrong = pageOf(name).links.filter(({ target }) => !/^https?:/.test(target) && !leadsSomewhere(name, target))
    expect(wrong).toEqual([])
  })

  function leadsSomewhere(from: string, target: string): boolean {
    const [path = '', anchor] = target.split('#')
    const to = path === '' ? from : relative(ROOT, join(ROOT, dirname(from), path))
    if (!existsSync(join(ROOT, to)) || !statSync(join(ROOT, to)).isFile()) return false
    return anchor === undefined || pageOf(to).anchors.has(anchor)
  }

  test('every page can be reached from the index', () => {
    const linked = pageOf('docs/README.md').links.map(({ target }) => join('docs', target.split('#')[0] ?? ''))
    const pagesOfDocs = pages
      .map(({ name }) => name)
      .filter((name) => name !== 'README.md' && name !== 'docs/README.md')
    expect(pagesOfDocs.filter((name) => !linked.includes(name))).toEqual([])
  })
})

describe('no block slips by:', () => {
  const blocks = pages.flatMap((page) => page.blocks)
  const MARKS = ['file', 'serve', 'prints', 'untested']

  test('each has a language, and marks that mean something', () => {
    const wrong = blocks.filter(
      ({ language, marks }) => language === '' || Object.keys(marks).some((mark) => !MARKS.includes(mark)),
    )
    expect(wrong.map(whereOf)).toEqual([])
  })

  test('each is followed by somebody, or is read here, or says why not', () => {
    const isDone = (block: Block) => {
      const { language, marks } = block
      const isRead = language === 'json' && Object.keys(marks).length === 0
      if (isRead || marks.untested !== undefined) return true
      return followed.has(block) && (language === 'sh' || marks.file !== undefined || marks.prints !== undefined)
    }
    expect(blocks.filter((block) => !isDone(block)).map(whereOf)).toEqual([])
  })

  test('these are not run', () => {
    const untested = blocks.flatMap(({ page, marks }) =>
      marks.untested === undefined ? [] : [`${page}: ${marks.untested}`],
    )
    expect(untested).toEqual([
      'README.md: test/binary builds it; docs/installing.md is followed with the files of a release',
      'README.md: it is what runs this test',
      'docs/abuse.md: a formula, as test/domain/sequential-test.test.ts has it',
      'docs/abuse.md: test/docs/challenge.test.ts follows it with a widget of its own',
      'docs/administration.md: it names a server of yours',
      'docs/app.md: a picture',
      'docs/app.md: next is not installed for the tests, which call the handlers themselves',
      'docs/app.md: next is not installed for the tests, which call the handlers themselves',
      'docs/app.md: the live app and its key are made on the server that runs for good',
      'docs/app.md: the app is one that runs for good',
      'docs/backups.md: test/commands/scheduled-backups.test.ts makes them at their times',
      'docs/backups.md: run by hand, with Litestream 0.5.18; see below',
      'docs/backups.md: run by hand, with Litestream 0.5.18; see below',
      'docs/calls.md: it would send a message',
      'docs/carrier-checklist.md: it would send a message',
      'docs/carriers.md: test/binary builds it, runs it alone in an empty folder and kills it',
      'docs/carriers.md: it would send a message',
      'docs/client-kotlin.md: generated, and not run',
      "docs/client-php.md: without Composer's registry the file below stands in",
      'docs/client-swift.md: generated, and not run',
      "docs/client.md: a page's own",
      'docs/client.md: signIn is yours',
      'docs/clients.md: test/client/generated.test.ts calls the generator itself',
      'docs/clients.md: test/client/generated.test.ts compiles and runs it',
      'docs/conformance.md: test/conformance/command.nightly.test.ts runs it; it takes two minutes',
      'docs/conformance.md: an example',
      'docs/conformance.md: test/conformance/command.nightly.test.ts runs it with a stand-in for Docker',
      'docs/installing.md: it takes a published release, and an account that published it',
      'docs/installing.md: test/deploy/units.test.ts reads the units; it would change this machine',
      'docs/installing.md: a drop-in of systemd',
      'docs/installing.md: test/release/debian.nightly.test.ts installs the package with dpkg, upgrades it and removes it',
      'docs/installing.md: there is no builder where this is tested: test/release/container.test.ts lays out what the Containerfile says, and runs it',
      'docs/installing.md: test/deploy/compose.test.ts holds the file against the schema; no containers run where this is tested',
      'docs/installing.md: there is no cluster where this is tested; test/deploy/kubernetes.test.ts says what is held instead',
      'docs/installing.md: as above',
      'docs/installing.md: test/release/apt-refuses.nightly.test.ts installs it with apt, from a repository on this machine',
      'docs/installing.md: there is no Homebrew where this is tested: test/release/recipes.test.ts holds the formula against the release',
      'docs/installing.md: there is no nixpkgs where this is tested: test/release/recipes.nightly.test.ts builds the package with Nix',
      'docs/installing.md: there is no NixOS where this is tested: test/release/recipes.nightly.test.ts evaluates the module',
      'docs/installing.md: test/deploy/action.nightly.test.ts runs the steps of the action',
      'docs/installing.md: no containers run where this is tested',
      'docs/installing.md: it takes minutes, and gets Bun for other platforms from npm; test/release tests its parts',
      'docs/limits.md: measured by hand on 22 November 2026',
      'docs/limits.md: measured by hand on 22 November 2026, with a control group made by hand',
      'docs/operating.md: it needs a name of yours; test/deploy/proxies.nightly.test.ts asks through the real programs',
      "docs/operating.md: run by hand with Debian's Prometheus 2.42, asking every 2 s: the carrier was stopped at 00:28:23, the alarm was pending at 00:28:26 and rang a minute later",
      'docs/operating.md: it would stop the service of this machine',
      'docs/operating.md: it takes minutes; test/binary/deploy tells a shorter story with the same program',
      'docs/operating.md: test/deploy/systemd.nightly.test.ts runs it in a machine that systemd has booted',
      'docs/operating.md: a configuration of Caddy',
      'docs/operating.md: test/binary/move.test.ts moves to a PostgreSQL and back',
      'docs/performance.md: it takes long, and a time would decide nothing',
      'docs/performance.md: it measures programs that are not part of this',
      'docs/relay-appwrite.md: node-appwrite is not installed; test/relay/examples.test.ts calls the function with a stub',
      "docs/relay-authgear.md: a part of Authgear's settings",
      "docs/relay-authgear.md: a part of Authgear's settings",
      "docs/relay-authgear.md: the secret is Authgear's",
      "docs/relay-authsignal.md: the secret is Authsignal's",
      "docs/relay-clerk.md: the secret is Clerk's",
      'docs/relay-cognito.md: the AWS Encryption SDK is not installed; test/relay/examples.test.ts calls the function with a stub',
      'docs/relay-cognito.md: it would change a user pool at AWS',
      'docs/relay-cognito.md: it is what AWS calls; test/relay/examples.test.ts calls each function',
      'docs/relay-firebase.md: firebase-admin is not installed; test/relay/examples.test.ts calls the function with a stub',
      "docs/relay-otpgateway.md: a part of otpgateway's settings",
      'docs/relay-supabase.md: settings of Supabase Auth; bun run platforms runs it with them',
      'docs/relay-zitadel.md: ZITADEL is not here',
      'docs/relay-zitadel.md: ZITADEL is not here',
      "docs/several-servers.md: it installs Debian's PostgreSQL",
      "docs/several-servers.md: PgBouncer's own settings",
      "docs/several-servers.md: for PostgreSQL's own program",
      'docs/several-servers.md: a configuration of HAProxy',
      'docs/several-servers.md: settings of Patroni',
      'docs/several-servers.md: a configuration of Caddy',
      "docs/several-servers.md: PostgreSQL's own program",
      "docs/several-servers.md: PostgreSQL's own program",
      'docs/sms.md: it would send a message',
      'docs/telegram.md: it would send a message',
      'docs/watching.md: needs Prometheus; run by hand with Prometheus 2.42 of Debian 12, where both say SUCCESS',
      'docs/watching.md: test/binary/watching.test.ts sends the signal',
      'docs/webhooks.md: test/binary/quickstart.test.ts adds such webhooks itself',
      'docs/whatsapp.md: it would create a template at Meta',
      'docs/whatsapp.md: it would send a message',
      'examples/express-element/README.md: bun run examples starts it',
      'examples/fastapi/README.md: bun run examples starts it',
      'examples/nextjs/README.md: bun run examples starts it',
      'examples/testcontainers/README.md: test/examples/testcontainers.test.ts runs the module without Docker',
    ])
  })

  test('what is JSON is JSON', () => {
    for (const { language, marks, text } of blocks) {
      if (language === 'json' && marks.prints === undefined) JSON.parse(text)
    }
  })
})

test('every setting is described, with its default and meaning', () => {
  const text = textOf('docs/operating.md')
  for (const { name, byDefault, meaning } of describeSettings()) {
    expect(text).toContain(`| \`${name}\` | ${byDefault && `\`${byDefault}\``} | ${meaning} |`)
  }
})

test('the figure of the README is one of the page about performance', () => {
  const [, figure = ''] = /delivers ([\d,]+) codes a second/.exec(textOf('README.md')) ?? []
  expect(figure).not.toBe('')
  expect(textOf('docs/performance.md')).toContain(figure)
})

test('every decision that the code names has its heading', async () => {
  const headings = pageOf('docs/decisions.md').anchors
  const named = new Set<string>()
  for (const folder of ['contract', 'client', 'src', 'test', 'bench']) {
    for await (const file of new Glob('**/*.{ts,tsx}').scan(join(ROOT, folder))) {
      for (const [, names = ''] of textOf(`${folder}/${file}`).matchAll(
        /[Dd]ecisions[:,]? ((?:"[A-Z][^"]+"(?:, )?)+)/g,
      )) {
        for (const [, name = ''] of names.matchAll(/"([^"]+)"/g)) named.add(name)
      }
    }
  }
  expect(named.size).toBeGreaterThan(5)
  const anchorOf = (name: string) =>
    name
      .toLowerCase()
      .replace(/[^a-z -]/g, '')
      .replace(/ /g, '-')
  expect([...named].filter((name) => !headings.has(anchorOf(name)))).toEqual([])
})

test('every file of the map is there', () => {
  const files = [
    ...textOf('docs/where-is-it.md').matchAll(/`((?:src|contract|client|test|bench|migrations)\/[\w./-]*)`/g),
  ]
  expect(files.length).toBeGreaterThan(20)
  expect(files.map(([, path = '']) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

test('every name of the map is in its file', () => {
  const named = [
    ...textOf('docs/where-is-it.md').matchAll(/`([A-Za-z]\w*)`((?: and `[A-Za-z]\w*`)*) in `([\w./-]+\.tsx?)`/g),
  ]
  const names = named.flatMap(([, first = '', others = '', path = '']) =>
    [first, ...[...others.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)].map((name) => ({ name, path })),
  )
  expect(names.length).toBeGreaterThan(5)
  expect(
    names.filter(
      ({ name, path }) => !new RegExp(`\\b(?:function|const|class|interface|type) ${name}\\b`).test(textOf(path)),
    ),
  ).toEqual([])
})
