/** A file that a browser loads, as the build makes it. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type Bytes = Uint8Array<ArrayBuffer>

/** Only compressed bytes are kept: hardly anybody asks for others, and those can be made from them. */
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

/** `best` costs seconds and is for the build of the binary. */
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
