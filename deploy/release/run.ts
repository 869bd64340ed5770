/**
 * `bun run release`: everything that is released, into `dist/release`: binaries in archives, packages for Debian, what they
 * are made of, and checksums, signed with the key in the file that `WATCHWORD_RELEASE_KEY` names. `WATCHWORD_APT_KEY` names the
 * OpenPGP key of the Debian repository, and `WATCHWORD_RELEASE_URL` where the files will be, for Homebrew and Nix.
 * `--targets linux-x64,linux-arm64` makes some; `--check` makes it twice, compares, and tries what can be tried here.
 */
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildBinary, collectContents } from '../../build'
import { assertSame, tryRelease } from './check'
import { programOf } from './contents'
import { makeRelease } from './make'
import { runtimeFor } from './runtimes'
import { TARGETS } from './targets'

const DIST = join(import.meta.dir, '../../dist')
const FOLDER = join(DIST, 'release')

const { values } = parseArgs({ options: { targets: { type: 'string' }, check: { type: 'boolean', default: false } } })

const asked = values.targets?.split(',')
const targets = TARGETS.filter(({ name }) => asked?.includes(name) ?? true)
if (asked && targets.length !== asked.length) throw new Error(`--targets: some of ${TARGETS.map(({ name }) => name)}`)

async function release(): Promise<void> {
  const contents = await collectContents()
  const { WATCHWORD_RELEASE_KEY: key, WATCHWORD_APT_KEY: aptKey, WATCHWORD_RELEASE_URL: url } = process.env
  await makeRelease({
    folder: FOLDER,
    targets,
    contents,
    binaryOf: async (target) =>
      buildBinary(contents, {
        outfile: join(DIST, 'binaries', target.name, programOf(target)),
        target: `bun-${target.name}`,
        runtime: await runtimeFor(target, join(DIST, 'runtimes')),
      }),
    ...(key !== undefined && { key }),
    ...(aptKey !== undefined && { aptKey }),
    ...(url !== undefined && { url }),
  })
  const { commit, builtAt } = contents.origin
  const signed = key === undefined ? 'not signed: WATCHWORD_RELEASE_KEY names no key' : 'signed'
  const repository =
    aptKey === undefined ? 'no Debian repository: WATCHWORD_APT_KEY names no key' : 'a Debian repository'
  process.stdout.write(`${FOLDER}: commit ${commit}, ${builtAt}, ${signed}, ${repository}\n`)
}

await release()
if (values.check) {
  const before = `${FOLDER}-before`
  rmSync(before, { recursive: true, force: true })
  renameSync(FOLDER, before)
  await release()
  await assertSame(before, FOLDER)
  rmSync(before, { recursive: true })
  await tryRelease(FOLDER, targets)
}
