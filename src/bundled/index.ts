/** The files of a site: embedded in the binary, or built from source at a request and again after a change. */
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gunzip, gzip } from 'node:zlib'
import { Glob } from 'bun'

export type Bytes = Uint8Array<ArrayBuffer>

/** Only compressed bytes are kept. The few clients that want plain bytes get them by decompression. */
export interface BundledFile {
  name: string
  type: string
  br: Bytes
  gzip: Bytes
}

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
}

/** `best` takes seconds; the build of the binary uses it. */
export type Effort = 'quick' | 'best'

export async function bundledFile(name: string, bytes: Uint8Array, effort: Effort): Promise<BundledFile> {
  const quality = effort === 'best' ? constants.BROTLI_MAX_QUALITY : 4
  const [small, common] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
    promisify(gzip)(bytes, { level: effort === 'best' ? 9 : 5 }),
  ])
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  return { name, type, br: new Uint8Array(small), gzip: new Uint8Array(common) }
}

/** The file name of an output of the bundler, without its folder. */
export const nameOf = ({ path }: { path: string }) => path.replace(/^.*[\\/]/, '')

export interface Asset {
  type: string
  br(): Promise<Bytes>
  gzip(): Promise<Bytes>
}

export interface Bundle {
  find(name: string): Promise<Asset | undefined>
}

/** Paths inside the binary. */
type EmbeddedFile = Pick<BundledFile, 'name' | 'type'> & Record<'br' | 'gzip', string>

export const embeddedBundle = (files: readonly EmbeddedFile[]): Bundle => ({
  async find(name) {
    const file = files.find((one) => one.name === name)
    return file && { type: file.type, br: () => Bun.file(file.br).bytes(), gzip: () => Bun.file(file.gzip).bytes() }
  },
})

/** Builds again after a file in `folder` has changed. */
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

/** The response in the best encoding that the browser accepts. */
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

/** Browsers list encodings without weights, so a weight matters only where it is 0. */
function encodingFor(accepted: string | null): 'br' | 'gzip' | undefined {
  const named = (accepted ?? '').split(',').flatMap((part) => {
    const [name = '', weight = ''] = part.trim().toLowerCase().split(';')
    return /q=0(\.0*)?$/.test(weight.trim()) ? [] : [name.trim()]
  })
  return (['br', 'gzip'] as const).find((encoding) => named.includes(encoding))
}
