/** A rule of textlint for sentences of pages: they are short, begin with a subject, and use the field's words. */
import type { AnyTxtNode } from '@textlint/ast-node-types'
import type { TextlintRuleModule } from '@textlint/kernel'
import { FORMER_NAMES, FORMER_WORDS } from '../house/former-words'

const MAX_WORDS = 25
/** A clause that has lost its sentence. A question, and a list's item that is a link with a page's title, may begin so. */
const FRAGMENT = /^(?:Who|Whom|Whose|What|Of)\b(?!:)(?!.*\?$)/

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })

/** Code counts as one word, whatever is in it. */
function textOf(node: AnyTxtNode): string {
  if (node.type === 'Code') return 'Code'
  if ('children' in node) return node.children.map(textOf).join('')
  return node.type === 'Str' && 'value' in node ? node.value : ' '
}

export const plainSentences: TextlintRuleModule = ({ Syntax, RuleError, report }) => ({
  [Syntax.Paragraph](paragraph) {
    for (const { segment, index } of sentences.segment(textOf(paragraph).replace(/\s+/g, ' '))) {
      const text = segment.trim()
      const problem = (message: string) => report(paragraph, new RuleError(`${message}: ${text}`))
      const words = text.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length
      if (words > MAX_WORDS) problem(`${words} words, of ${MAX_WORDS} at most`)
      const isTitle = index === 0 && paragraph.children[0]?.type === Syntax.Link
      if (FRAGMENT.test(text) && !isTitle) problem('A fragment')
    }
  },
  [Syntax.Str](node) {
    for (const [pattern, instead] of FORMER_WORDS)
      if (pattern.test(node.value)) report(node, new RuleError(`Instead of ${pattern}, write ${instead}`))
  },
  [Syntax.Code](node) {
    const instead = Object.hasOwn(FORMER_NAMES, node.value) && FORMER_NAMES[node.value]
    if (instead) report(node, new RuleError(`\`${node.value}\` is called ${instead} now`))
  },
})
