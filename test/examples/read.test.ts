/** What can be said of the examples without their packages: `bun run examples` starts them. */
import { expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../../src/domain/operations/version'
import { newFolder, ROOT, run } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'
import { commandOf, EXAMPLES, folderOf } from './site'

setDefaultTimeout(HANGS_AFTER_MS)

const env = { PATH: process.env.PATH ?? '' }

test.each(EXAMPLES)('%s is started with one command, and read at a glance', async (example) => {
  const readme = await Bun.file(join(folderOf(example), 'README.md')).text()
  expect(commandOf(example)).toMatch(/^OTP_PUBLIC_KEY=pk_test_… OTP_APP_ID=app_… [\w ./]+$/)
  expect(readme.trim().split('\n').length).toBeLessThanOrEqual(30)
})

test.each(['express-element', 'nextjs'] as const)(
  '%s has exact versions, and the client of this release',
  async (example) => {
    const text = await Bun.file(join(folderOf(example), 'package.json')).text()
    const { dependencies, devDependencies } = JSON.parse(text)
    const { '@watchword/client': client, ...others } = { ...dependencies, ...devDependencies }
    expect(client).toBe(`file:../../dist/watchword-client-${VERSION}.tgz`)
    const packed = [...text.matchAll(/watchword-client-[\d.]+\.tgz/g)].map(([name]) => name)
    expect(new Set(packed)).toEqual(new Set([`watchword-client-${VERSION}.tgz`]))
    expect(Object.values(others).filter((version) => !/^\d+\.\d+\.\d+$/.test(String(version)))).toEqual([])
  },
)

test('fastapi has exact versions', async () => {
  const lines = (await Bun.file(join(folderOf('fastapi'), 'requirements.txt')).text()).trim().split('\n')
  expect(lines.filter((line) => !/^[a-z\d-]+(\[\w+\])?==\d+\.\d+\.\d+$/.test(line))).toEqual([])
})

test.if(Bun.which('python3') !== null)('fastapi is Python', async () => {
  const parse = 'import ast, sys\nfor name in sys.argv[1:]: ast.parse(open(name).read(), name)'
  const command = ['python3', '-c', parse, 'main.py', 'proof.py']
  expect(await run({ command, cwd: folderOf('fastapi'), env })).toEqual({ exitCode: 0, stdout: '', stderr: '' })
})

test('nextjs has no mistake of types', async () => {
  const folder = newFolder()
  try {
    const place = (name: string) => join(folder.path, name)
    for (const name of ['app', 'next.config.ts', 'tsconfig.json'])
      cpSync(join(folderOf('nextjs'), name), place(name), { recursive: true })
    cpSync(join(import.meta.dir, 'next.d.ts'), place('next.d.ts'))
    symlinkSync(join(ROOT, 'node_modules'), place('node_modules'))
    const paths = {
      '@watchword/client': [join(ROOT, 'client/index.ts')],
      '@watchword/client/*': [join(ROOT, 'client/*/index.ts')],
    }
    // The client is read as its source, which wants more of the platform than it gets as a package.
    const compilerOptions = { paths, lib: ['esnext', 'dom', 'dom.iterable'], types: ['node'], incremental: false }
    await Bun.write(
      place('checked.json'),
      JSON.stringify({ extends: './tsconfig.json', compilerOptions, include: ['**/*.ts', '**/*.tsx'] }),
    )
    const command = ['node', join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'checked.json']
    expect(await run({ command, cwd: folder.path, env })).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  } finally {
    folder.remove()
  }
})
