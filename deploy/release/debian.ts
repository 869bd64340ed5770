/** The Debian package: program, units, settings, and a user to run as. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Entry, modeOf } from './archive'
import { execute } from './programs'

const SCRIPTS = join(import.meta.dir, '../debian')
/** It may hold secrets: only root reads it. */
const SETTINGS = 'etc/watchword/watchword.env'

/** A version that comes before the release it announces is sorted there by Debian where a tilde says so. */
export const debianVersion = (version: string): string => version.replace('-', '~')

export interface Package {
  version: string
  /** Debian's name for a processor. */
  architecture: string
  builtAt: Date
}

export function debianPackage(entries: readonly Entry[], what: Package, outfile: string): void {
  const { builtAt } = what
  const tree = mkdtempSync(join(tmpdir(), 'watchword-deb-'))
  try {
    chmodSync(tree, 0o755)
    for (const entry of entries) put(tree, entry.name, entry.data ?? '', modeOf(entry))
    chmodSync(join(tree, SETTINGS), 0o600)
    const size = entries.reduce((sum, { data }) => sum + (data?.byteLength ?? 0), 0)
    put(tree, 'DEBIAN/control', controlOf(what, size), 0o644)
    put(tree, 'DEBIAN/conffiles', `/${SETTINGS}\n`, 0o644)
    for (const script of ['postinst', 'prerm', 'postrm'])
      put(tree, `DEBIAN/${script}`, readFileSync(join(SCRIPTS, script)), 0o755)
    // `dpkg-deb` sorts, and says of itself that it was made then; files it leaves as old as they are.
    for (const name of readdirSync(tree, { recursive: true, encoding: 'utf8' }))
      utimesSync(join(tree, name), builtAt, builtAt)
    utimesSync(tree, builtAt, builtAt)
    const env = { SOURCE_DATE_EPOCH: String(builtAt.getTime() / 1000) }
    execute('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z6', '--build', tree, outfile], { env })
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}

function put(tree: string, name: string, data: string | Uint8Array, mode: number): void {
  const path = join(tree, name)
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  writeFileSync(path, data)
  chmodSync(path, mode)
}

const controlOf = ({ version, architecture }: Package, bytes: number) => `Package: watchword
Version: ${debianVersion(version)}
Architecture: ${architecture}
Maintainer: Watchword <watchword@localhost>
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: libc6 (>= 2.17), passwd
Recommends: ca-certificates
Section: net
Priority: optional
Description: phone verification codes on your own server
 An app sends a phone number and a purpose; Watchword makes a code, delivers it by
 SMS or Kakao AlimTalk, and says later whether what was typed is right. One file:
 API, SQLite, retries, prepaid credit, webhooks and a console.
`
