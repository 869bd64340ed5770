/**
 * `bun run build:client`: the client and its types, ready to publish, in `dist/client`. Verifying webhooks is an ES
 * module of its own, so that a receiver loads that and nothing else.
 */
import { join } from 'node:path'
import { $, Glob } from 'bun'

const root = join(import.meta.dir, '..')
const out = join(root, 'dist/client')

const ENTRIES = ['index', 'webhook']

for (const entry of ENTRIES) {
  await Bun.build({
    entrypoints: [join(import.meta.dir, `${entry}.ts`)],
    external: ['*/webhook.js'],
    outdir: out,
    target: 'browser',
    format: 'esm',
  })
  await Bun.write(join(out, `${entry}.d.ts`), `export * from './types/client/${entry}.js'\n`)
}
await $`${join(root, 'node_modules/.bin/tsc')} -p ${import.meta.dir}`.cwd(root)
await $`cp ${join(import.meta.dir, 'package.dist.json')} ${join(out, 'package.json')}`

/** Node's module resolution wants the extensions that ours does without. */
for await (const file of new Glob('types/**/*.d.ts').scan(out)) {
  const path = join(out, file)
  const text = await Bun.file(path).text()
  const complete = (specifier: string) =>
    specifier.endsWith('/contract') ? `${specifier}/index.js` : `${specifier}.js`
  await Bun.write(
    path,
    text.replace(
      /(from |import\()(['"])(\.{1,2}\/[^'"]+?)(?:\.js)?\2/g,
      (_, word, quote, specifier) => `${word}${quote}${complete(specifier)}${quote}`,
    ),
  )
}
