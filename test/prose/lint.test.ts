/** The linter of prose notices what it is there for, and nothing else. */
import { expect, test } from 'bun:test'
import { lintProse } from './lint'

const words = (count: number) => `Sentence${' word'.repeat(count - 1)}.`

test.each([
  ['a sentence of more than 25 words', words(26)],
  ['one that goes on over a line', `${words(13).slice(0, -1)}\n${words(13)}`],
  ['one in a list', `- ${words(26)}`],
  ['a fragment', 'What nobody reads.'],
  ['a fragment behind a sentence', 'A code is sent. Of another app it says nothing.'],
  ['a former word of the house', 'Each lane counts its codes.'],
  ['a former name in code', 'Each request has a `Claim`.'],
  ['a misspelt term', 'Written in Javascript.'],
])('the linter notices %s', async (_name, text) => {
  expect(await lintProse('page.md', text)).toHaveLength(1)
})

test.each([
  ['a sentence of 25 words', `${words(25)} ${words(25)}`],
  ['code, however long', `\`${words(40)}\` is one word.\n\n\`\`\`sh\n${words(40)}\n\`\`\``],
  ['sentences that begin with code', `${words(20)} \`GET /v1\` is code. \`POST\` too.`],
  ['an address', `[A page](https://example.com/${'long/'.repeat(40)}).`],
  ['a cell of a table', `| ${words(26)} |\n|---|\n| ${words(26)} |`],
  ['a heading', '## What limits it'],
  ['a question', 'What limits it?'],
  ['a title in a list of pages', '- [What messages say](texts.md): templates'],
])('the linter lets %s pass', async (_name, text) => {
  expect(await lintProse('page.md', text)).toEqual([])
})
