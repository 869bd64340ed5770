/** What a binary is made of, as CycloneDX: of the notice of licences, which knows every package that was bundled. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library'
import { PackageURL } from 'packageurl-js'
import type { Component, LicenseNotice } from '../../src/cli/licenses'

/** A package of the lock file, and its checksum in base64. */
const LOCKED = /^ *"[^"]+": \["([^"]+)", .*"sha512-([A-Za-z0-9+/=]+)"\],$/gm

/** By name and version; what was bundled into a package before that was published has its checksum there. */
function lockedHashes(): ReadonlyMap<string, string> {
  const lock = readFileSync(join(import.meta.dir, '../../bun.lock'), 'utf8')
  return new Map([...lock.matchAll(LOCKED)].map(([, id = '', hash = '']) => [id, hash]))
}

export function sbomOf({ program, runtime, packages }: LicenseNotice, builtAt: Date): string {
  const hashes = lockedHashes()
  const componentOf = (type: Enums.ComponentType, one: Component) =>
    asComponent(type, one, hashes.get(`${one.name}@${one.version}`))
  const root = componentOf(Enums.ComponentType.Application, program)
  const parts = [
    componentOf(Enums.ComponentType.Platform, runtime),
    ...packages.map((one) => componentOf(Enums.ComponentType.Library, one)),
  ]
  for (const { bomRef } of parts) root.dependencies.add(bomRef)
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component: root, timestamp: builtAt }),
    components: new Models.ComponentRepository(parts),
  })
  const normalize = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6)
  return new Serialize.JsonSerializer(normalize).serialize(bom, { sortLists: true, space: 2 })
}

function asComponent(
  type: Enums.ComponentType,
  { name, version, license, note }: Component,
  sha512: string | undefined,
): Models.Component {
  const [scope, bare] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const purl = new PackageURL('npm', scope, bare ?? name, version).toString()
  return new Models.Component(type, name, {
    version,
    purl,
    bomRef: purl,
    licenses: new Models.LicenseRepository([licenseOf(license)]),
    ...(note !== undefined && { description: note }),
    ...(sha512 !== undefined && {
      hashes: new Models.HashDictionary([
        [Enums.HashAlgorithm['SHA-512'], Buffer.from(sha512, 'base64').toString('hex')],
      ]),
    }),
  })
}

const licenseOf = (license: string) =>
  SPDX.isSupportedSpdxId(license) ? new Models.SpdxLicense(license) : new Models.LicenseExpression(license)
