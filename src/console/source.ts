/** The pages of a console that runs from source: bundled when they are first asked for, and again once they changed. */
import { join } from 'node:path'
import { Glob } from 'bun'
import { type BundledFile, bundleConsole } from './bundle'

let known: { version: string; files: Promise<BundledFile[]> } | undefined

/** The files as they are now. Whoever changes a page has only to reload it. */
export async function bundledFromSource(): Promise<BundledFile[]> {
  const version = await versionOfSource()
  if (known?.version !== version) known = { version, files: bundleConsole('quick') }
  const { files } = known
  return files.catch((failure) => {
    known = undefined
    throw failure
  })
}

async function versionOfSource(): Promise<string> {
  const folder = join(import.meta.dir, 'web')
  const names = (await Array.fromAsync(new Glob('**/*').scan(folder))).sort()
  return names.map((name) => `${name}:${Bun.file(join(folder, name)).lastModified}`).join()
}
