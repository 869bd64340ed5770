/** A client made by openapi-typescript, with the example of docs/clients.md: generated, type-checked and run. */
import { afterAll, beforeAll, expect, mock, setDefaultTimeout, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import typescript5 from 'typescript5'
import { fromSource, newFolder, ROOT, run, runJson, Server } from '../binary/support'
import { blocksOf } from '../docs/pages'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

// The generator prints by the compiler's API, which TypeScript 7 has not.
mock.module('typescript', () => ({ default: typescript5 }))

const folder = newFolder()
const program = fromSource(folder.path)
let server: Server

beforeAll(async () => {
  server = await Server.start(program)
})
afterAll(async () => {
  await server?.stop()
  folder.remove()
})

const example = () => {
  const block = blocksOf('docs/clients.md', ['TypeScript']).find(({ language }) => language === 'ts')
  if (!block) throw new Error('docs/clients.md has no example in TypeScript')
  return block.text
}

async function generate(): Promise<string> {
  const { default: openapi, astToString } = await import('openapi-typescript')
  const description = await (await fetch(`${server.url}/v1/openapi.json`)).text()
  return astToString(await openapi(description))
}

test('it compiles without a cast, issues, verifies, pages through and knows a refusal by its reason', async () => {
  const code = example()
  expect(code).not.toMatch(/\bas\b(?! \{)|\bany\b|@ts-/)
  // Not as a declaration, which would not be checked itself.
  await Bun.write(join(folder.path, 'watchword.ts'), await generate())
  await Bun.write(join(folder.path, 'example.ts'), code)
  const options = {
    ...{ target: 'esnext', module: 'esnext', moduleResolution: 'bundler', types: ['bun-types'], strict: true },
    ...{ noUncheckedIndexedAccess: true, skipLibCheck: true, noEmit: true, lib: ['esnext', 'dom'] },
  }
  await Bun.write(
    join(folder.path, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['example.ts'] }),
  )
  symlinkSync(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'))
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  expect(
    await run({ command: ['node', tsc, '-p', folder.path], cwd: folder.path, env: { PATH: process.env.PATH ?? '' } }),
  ).toEqual({ exitCode: 0, stdout: '', stderr: '' })

  const { appId } = await runJson(program, 'app', 'create', 'generated')
  const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test')
  const env = { OTP_URL: `${server.url}/v1`, OTP_KEY: key }
  const command = [process.execPath, join(folder.path, 'example.ts')]
  const told = (pages: number) =>
    `verified true with a proof true\npages ${pages}\nrefused phoneNumber test_number_required\n`
  expect(await run({ command, cwd: folder.path, env })).toEqual({ exitCode: 0, stdout: told(1), stderr: '' })
  expect(await run({ command, cwd: folder.path, env })).toEqual({ exitCode: 0, stdout: told(2), stderr: '' })
})
