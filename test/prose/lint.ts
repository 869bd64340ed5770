/** Finds what breaks a rule in a page's prose, with its line. */
import { TextlintKernel } from '@textlint/kernel'
import markdown from '@textlint/textlint-plugin-markdown'
import terminology from 'textlint-rule-terminology'
import { plainSentences } from './plain-sentences'

const kernel = new TextlintKernel()

/** Entries of the rule's list that do not suit these pages: the README's name is that of its file. */
const exclude = ['readme(s)?', 'indexes\\b', 'built ?in(s)?']

export async function lintProse(filePath: string, text: string): Promise<string[]> {
  const { messages } = await kernel.lintText(text, {
    filePath,
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown }],
    rules: [
      { ruleId: 'plain-sentences', rule: plainSentences },
      { ruleId: 'terminology', rule: terminology, options: { exclude } },
    ],
  })
  return messages.map(({ loc, message }) => `${filePath}:${loc.start.line}: ${message.replaceAll('\n', ' ')}`)
}
