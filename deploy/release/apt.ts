/**
 * A Debian repository of static files: packages, what apt reads about them, and signatures by OpenPGP. Any web server can
 * serve it. It has no `Valid-Until`, because nobody signs it again between two releases; apt itself refuses to go back to an
 * older `Release`.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createCleartextMessage, createMessage, enums, type PrivateKey, readPrivateKey, sign } from 'openpgp'
import type { Entry } from './archive'
import { execute } from './programs'

/** The public key, as `signed-by` of a source names it. */
export const KEYRING = 'watchword-archive-keyring.asc'

const SUITE = 'dists/stable'
const POOL = 'pool/main/w/watchword'

/** Its files, by the packages of a folder. */
export async function aptRepository(folder: string, debs: readonly string[], key: PrivateKey, at: Date) {
  const entries: Entry[] = []
  const stanzas = new Map<string, string[]>()
  for (const name of debs) {
    const data = readFileSync(join(folder, name))
    entries.push({ name: `${POOL}/${name}`, data })
    const control = execute('dpkg-deb', ['--field', join(folder, name)]).trimEnd()
    const architecture = /^Architecture: (.+)$/m.exec(control)?.[1] ?? ''
    const about = [`Filename: ${POOL}/${name}`, `Size: ${data.byteLength}`, `SHA256: ${sha256Of(data)}`]
    stanzas.set(architecture, [...(stanzas.get(architecture) ?? []), [control, ...about, ''].join('\n')])
  }

  const sums: string[] = []
  for (const [architecture, of] of stanzas) {
    const packages = Buffer.from(of.join('\n'))
    const at = `main/binary-${architecture}`
    for (const [name, data] of [
      ['Packages', packages],
      ['Packages.gz', gzipSync(packages)],
    ] as const) {
      sums.push(` ${sha256Of(data)} ${data.byteLength} ${at}/${name}`)
      entries.push({ name: `${SUITE}/${at}/${name}`, data })
    }
  }
  const release = releaseOf([...stanzas.keys()], sums, at)
  const signed = { signingKeys: key, date: at, config: WITHOUT_SALT }
  const clear = await sign({ message: await createCleartextMessage({ text: release }), ...signed })
  const message = await createMessage({ binary: Buffer.from(release) })
  const detached = await sign({ message, detached: true, ...signed })
  for (const [name, text] of [
    [`${SUITE}/Release`, release],
    [`${SUITE}/InRelease`, clear],
    [`${SUITE}/Release.gpg`, detached],
    [KEYRING, key.toPublic().armor()],
  ] as const)
    entries.push({ name, data: Buffer.from(text) })
  return entries
}

/** As `gpg --export-secret-keys --armor` writes it, without a passphrase. @throws Error where the file is none. */
export const readAptKey = async (path: string): Promise<PrivateKey> =>
  readPrivateKey({ armoredKey: readFileSync(path, 'utf8') }).catch((error: Error) => {
    throw new Error(`WATCHWORD_APT_KEY names no OpenPGP key: ${path}`, { cause: error })
  })

/** A random salt would make other bytes each time. */
const WITHOUT_SALT = { nonDeterministicSignaturesViaNotation: false, preferredHashAlgorithm: enums.hash.sha512 }

const releaseOf = (architectures: readonly string[], sums: readonly string[], at: Date) => `Origin: Watchword
Label: Watchword
Suite: stable
Codename: stable
Date: ${at.toUTCString().replace('GMT', 'UTC')}
Architectures: ${architectures.join(' ')}
Components: main
Description: Releases of Watchword
SHA256:
${sums.join('\n')}
`

const sha256Of = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
