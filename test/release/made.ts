/** A release for the tests. */
import { join } from 'node:path'
import type { Contents } from '../../build'
import { makeRelease, type Plan } from '../../deploy/release/make'
import { originOf } from '../../deploy/release/origin'
import { TARGETS } from '../../deploy/release/targets'
import type { LicenseNotice } from '../../src/cli/licenses'
import { compile } from '../binary/compiled'
import { ROOT, run } from '../binary/support'

export const BUILT_AT = new Date('2026-01-31T12:00:00.000Z')

/** Debian's name for this machine's processor. */
export const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'amd64'
export const STAND_IN = join(ROOT, '.ci/run')
export const OURS = `linux-${process.arch}`

export async function contentsOf(binary: string): Promise<Contents> {
  const { stdout } = await run({ command: [binary], cwd: ROOT }, 'licenses', '--json')
  const notice: LicenseNotice = JSON.parse(stdout)
  return { console: [], guide: [], notice, origin: { ...originOf(ROOT), builtAt: BUILT_AT.toISOString() } }
}

/** The one of this machine, and Windows, whose archive is another. A small file stands for each binary. */
export async function madeIn(folder: string, more: Partial<Plan> = {}, version?: string): Promise<Contents> {
  const contents = await contentsOf(await compile())
  if (version !== undefined) {
    contents.origin.version = version
    contents.notice.program.version = version
  }
  await makeRelease({
    folder,
    targets: TARGETS.filter(({ name }) => [OURS, 'windows-x64'].includes(name)),
    contents,
    binaryOf: async () => STAND_IN,
    ...more,
  })
  return contents
}
