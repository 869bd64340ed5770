/** The threat model names files and tests that exist, and `security-insights.yml` has the shape of its schema. */
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { describeSettings } from '../../src/config'

const ROOT = join(import.meta.dir, '../..')
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const lines = textOf('docs/threat-model.md').split('\n')

/** The code in a text, in order. */
const codeIn = (text: string) => [...text.matchAll(/(`+)(.+?)\1(?!`)/g)].map(([, , code = '']) => code)

/** The rows of tables, each with the header of its table; rules between header and rows are no rows. */
const rows: Array<{ line: number; header: string; cells: string[] }> = []
for (const [index, text] of lines.entries()) {
  if (!text.startsWith('| ') || /^\|-/.test(lines[index + 1] ?? '')) continue
  const first = lines.findLastIndex((line, at) => at < index && /^\|-/.test(line))
  rows.push({ line: index + 1, header: lines[first - 1] ?? '', cells: text.split(' | ') })
}
const threats = rows.filter(({ header }) => header.startsWith('| STRIDE '))

/** The tests that a text names: after its file, each by its title. */
function testsIn(text: string) {
  const named: Array<{ file: string; title: string | undefined }> = []
  for (const code of codeIn(text)) {
    const before = named.at(-1)
    if (/^test\/\S+\.tsx?$/.test(code)) named.push({ file: code, title: undefined })
    else if (before && before.title === undefined) before.title = code
    else if (before) named.push({ file: before.file, title: code })
  }
  return named
}

/** A title as it is written down, in whichever quotes. */
const hasTitle = (source: string, title: string) =>
  ["'", '"', '`'].some((quote) => source.includes(quote + title + quote))

describe('the threat model', () => {
  test('has a table for each component, whose rows name a threat by STRIDE, its defence and its test', () => {
    expect(
      Map.groupBy(threats, ({ header, line }) => header + lines.slice(0, line).findLast((text) => /^###/.test(text)))
        .size,
    ).toBe(17)
    const wrong = threats.filter(
      ({ cells }) =>
        cells.length !== 4 ||
        !/^\| [STRIDE](?:, [STRIDE])*$/.test(cells[0] ?? '') ||
        testsIn(cells[3] ?? '').length === 0,
    )
    expect(wrong.map(({ line }) => line)).toEqual([])
  })

  test('names tests that are there', () => {
    const lost = rows.flatMap(({ line, cells }) =>
      testsIn(cells.at(-1) ?? '').flatMap(({ file, title }) => {
        if (!existsSync(join(ROOT, file))) return [`${line}: there is no ${file}`]
        return title !== undefined && hasTitle(textOf(file), title) ? [] : [`${line}: ${file} has no test "${title}"`]
      }),
    )
    expect(lost).toEqual([])
  })

  test('names files and settings that are there', () => {
    const code = codeIn(lines.join('\n'))
    const files = code.filter((name) => /^(?:src|contract|client|deploy|docs|migrations)\/[\w./-]+$/.test(name))
    const known = new Set<string>(describeSettings().map(({ name }) => name))
    const settings = code.filter((name) => /^WATCHWORD_[A-Z_]+$/.test(name))
    expect(files.length).toBeGreaterThan(20)
    expect(files.filter((name) => !existsSync(join(ROOT, name)))).toEqual([])
    expect(settings.filter((name) => !known.has(name))).toEqual([])
  })
})

const REPOSITORY = 'https://watchword.invalid'
const url = z.string().regex(/^https?:\/\/\S+$/)
const contact = z.strictObject({ name: z.string(), primary: z.boolean() })
const license = z.strictObject({ url, expression: z.literal('Apache-2.0') })
const date = z.iso.date()

/** What we use of the schema of Security Insights 2.0, where every other field is unknown. */
const SECURITY_INSIGHTS = z.strictObject({
  header: z.strictObject({
    ...{ 'schema-version': z.literal('2.0.0'), 'last-updated': date, 'last-reviewed': date },
    ...{ url, comment: z.string() },
  }),
  project: z.strictObject({
    name: z.string(),
    administrators: z.array(contact).min(1),
    documentation: z.partialRecord(
      z.enum(['quickstart-guide', 'detailed-guide', 'release-process', 'support-policy', 'signature-verification']),
      url,
    ),
    repositories: z.array(z.strictObject({ name: z.string(), url, comment: z.string() })).min(1),
    'vulnerability-reporting': z.strictObject({
      ...{ 'reports-accepted': z.boolean(), 'bug-bounty-available': z.boolean(), contact, comment: z.string() },
      ...{ 'in-scope': z.array(z.string()), 'out-of-scope': z.array(z.string()) },
    }),
  }),
  repository: z.strictObject({
    ...{
      url,
      status: z.enum(['active', 'WIP']),
      'bug-fixes-only': z.boolean(),
      'no-third-party-packages': z.boolean(),
    },
    ...{ 'accepts-change-request': z.boolean(), 'accepts-automated-change-request': z.boolean() },
    'core-team': z.array(contact).min(1),
    documentation: z.partialRecord(z.enum(['contributing-guide', 'security-policy']), url),
    license,
    release: z.strictObject({
      ...{ 'automated-pipeline': z.boolean(), changelog: url },
      'distribution-points': z.array(z.strictObject({ uri: z.string(), comment: z.string() })).min(1),
    }),
    security: z.strictObject({
      assessments: z.strictObject({
        self: z.strictObject({ name: z.string(), comment: z.string(), evidence: url, date }),
      }),
      tools: z.array(
        z.strictObject({
          ...{ name: z.string(), type: z.enum(['fuzzing', 'other']), comment: z.string() },
          rulesets: z.tuple([z.literal('default')]),
          integration: z.strictObject({ adhoc: z.boolean(), ci: z.boolean(), release: z.boolean() }),
          results: z.strictObject({}),
        }),
      ),
    }),
  }),
})

describe('security-insights.yml', () => {
  const text = textOf('security-insights.yml')

  test('is one by its schema', () => {
    expect(SECURITY_INSIGHTS.safeParse(Bun.YAML.parse(text)).error?.issues ?? []).toEqual([])
  })

  test('leads to files that are there', () => {
    const paths = [...text.matchAll(/: (https:\S+)/g)].map(([, address = '']) => address)
    const [home, ...files] = [...new Set(paths)].toSorted()
    expect(home).toBe('https://security-insights.openssf.org')
    expect(
      files.filter(
        (address) => address !== REPOSITORY && !existsSync(join(ROOT, address.replace(`${REPOSITORY}/blob/main/`, ''))),
      ),
    ).toEqual([])
  })
})
