import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { describeSettings } from '../../src/config'

test('the README has every setting, with its default and meaning', async () => {
  const readme = await Bun.file(join(import.meta.dir, '../../README.md')).text()
  for (const { name, byDefault, meaning } of describeSettings()) {
    expect(readme).toContain(`| \`${name}\` | ${byDefault && `\`${byDefault}\``} | ${meaning} |`)
  }
})
