/** The files of a site: embedded in the binary, or made from source when they are asked for and again once that changed. */
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Glob } from 'bun'
import type { BundledFile, Bytes } from './file'

export interface Asset {
  type: string
  br(): Promise<Bytes>
  gzip(): Promise<Bytes>
}

export interface Bundle {
  find(name: string): Promise<Asset | undefined>
}

/** Where the bytes of a file lie inside the binary. */
type EmbeddedFile = Pick<BundledFile, 'name' | 'type'> & Record<'br' | 'gzip', string>

export const embeddedBundle = (files: readonly EmbeddedFile[]): Bundle => ({
  async find(name) {
    const file = files.find((one) => one.name === name)
    return file && { type: file.type, br: () => Bun.file(file.br).bytes(), gzip: () => Bun.file(file.gzip).bytes() }
  },
})

/** After a file in `folder` has changed, a reload of the page shows it. */
export function sourceBundle(folder: string, build: () => Promise<BundledFile[]>): Bundle {
  let known: { version: string; files: Promise<BundledFile[]> } | undefined

  async function current(): Promise<BundledFile[]> {
    const version = await versionOf(folder)
    if (known?.version !== version) known = { version, files: build() }
    const { files } = known
    return files.catch((failure) => {
      known = undefined
      throw failure
    })
  }

  return {
    async find(name) {
      const file = (await current()).find((one) => one.name === name)
      return file && { type: file.type, br: async () => file.br, gzip: async () => file.gzip }
    },
  }
}

async function versionOf(folder: string): Promise<string> {
  const names = (await Array.fromAsync(new Glob('**/*').scan(folder))).sort()
  return names.map((name) => `${name}:${Bun.file(join(folder, name)).lastModified}`).join()
}

export const plainBytes = async (asset: Asset): Promise<Bytes> =>
  new Uint8Array(await promisify(gunzip)(await asset.gzip()))

/** In the best encoding of ours that the browser takes. */
export async function assetResponse(
  asset: Asset,
  acceptEncoding: string | null,
  headers: Record<string, string>,
): Promise<Response> {
  const encoding = encodingFor(acceptEncoding)
  return new Response(encoding ? await asset[encoding]() : await plainBytes(asset), {
    headers: {
      ...headers,
      'content-type': asset.type,
      ...(encoding && { 'content-encoding': encoding }),
      vary: 'accept-encoding',
    },
  })
}

/** Browsers name what they can do and never weigh it, so weights count only as refusals. */
function encodingFor(accepted: string | null): 'br' | 'gzip' | undefined {
  const named = (accepted ?? '').split(',').flatMap((part) => {
    const [name = '', weight = ''] = part.trim().toLowerCase().split(';')
    return /q=0(\.0*)?$/.test(weight.trim()) ? [] : [name.trim()]
  })
  return (['br', 'gzip'] as const).find((encoding) => named.includes(encoding))
}
