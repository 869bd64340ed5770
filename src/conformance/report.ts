/** The results as TAP (testanything.org, version 14) and as JUnit's XML. */
import type { RuleResult } from './suite'

export const tapHead = (rules: number): string[] => ['TAP version 14', `1..${rules}`]

export function tapLines({ name, outcome, reason }: RuleResult, number: number): string[] {
  // A number sign begins a directive.
  const said = name.replaceAll('\\', '\\\\').replaceAll('#', '\\#')
  if (outcome === 'skipped') return [`ok ${number} - ${said} # SKIP ${reason}`]
  if (outcome === 'kept') return [`ok ${number} - ${said}`]
  return [`not ok ${number} - ${said}`, '  ---', `  message: ${JSON.stringify(reason)}`, '  ...']
}

export function junit(results: readonly RuleResult[]): string {
  const count = (outcome: RuleResult['outcome']) => results.filter((result) => result.outcome === outcome).length
  const totals = `tests="${results.length}" failures="${count('broken')}" skipped="${count('skipped')}"`
  const cases = results.map(({ name, part, outcome, reason = '', durationMs }) => {
    const head = `<testcase classname="${escaped(part)}" name="${escaped(name)}" time="${(durationMs / 1_000).toFixed(3)}"`
    if (outcome === 'kept') return `    ${head}/>`
    const tag = outcome === 'skipped' ? 'skipped' : 'failure'
    return `    ${head}><${tag} message="${escaped(reason)}"/></testcase>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${totals}>`,
    `  <testsuite name="watchword conformance" ${totals}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' }
const escaped = (text: string) => text.replace(/[&<>"\n]/g, (sign) => ENTITIES[sign] ?? '')
