/**
 * Where the files of a release come from: an in-toto statement with SLSA's predicate, https://slsa.dev/spec/v1.1/provenance. It is
 * among the checksums, so their signature holds it, and nobody needs a network to read it.
 */
import { join } from 'node:path'
import type { Origin } from './origin'
import { sha256 } from './sign'
import type { Target } from './targets'

const ROOT = join(import.meta.dir, '../..')
/** Whoever publishes writes the address of their repository here. */
export const REPOSITORY = 'https://watchword.invalid/watchword'

export const provenanceName = (version: string) => `watchword-${version}.provenance.json`

interface Release {
  origin: Origin
  targets: readonly Target[]
  /** Name and checksum of each file. */
  files: ReadonlyMap<string, string>
}

export async function provenanceOf({ origin, targets, files }: Release): Promise<string> {
  const { version, commit, builtAt } = origin
  const runtimes = targets.map(({ runtime: { name, integrity } }) => ({
    uri: `pkg:npm/${name.replace('@', '%40')}@${Bun.version}`,
    digest: { sha512: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') },
  }))
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [...files].map(([name, digest]) => ({ name, digest: { sha256: digest } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `${REPOSITORY}/release/v1`,
        externalParameters: { command: 'bun run release', version, targets: targets.map(({ name }) => name) },
        resolvedDependencies: [
          { uri: `git+${REPOSITORY}`, digest: { gitCommit: commit } },
          { uri: 'bun.lock', digest: { sha256: await sha256(join(ROOT, 'bun.lock')) } },
          ...runtimes,
        ],
      },
      runDetails: { builder: { id: `${REPOSITORY}/release/builder` }, metadata: { startedOn: builtAt } },
    },
  }
  return `${JSON.stringify(statement, undefined, 2)}\n`
}
