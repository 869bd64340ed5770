/** What a binary is made of, as CycloneDX: of the notice of licences, which knows every package that was bundled. */
import { Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library'
import { PackageURL } from 'packageurl-js'
import type { Component, Notice } from '../../src/cli/licenses/component'

export function sbomOf({ program, runtime, packages }: Notice, builtAt: Date): string {
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

function componentOf(type: Enums.ComponentType, { name, version, license, note }: Component): Models.Component {
  const [scope, bare] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const purl = new PackageURL('npm', scope, bare ?? name, version).toString()
  return new Models.Component(type, name, {
    version,
    purl,
    bomRef: purl,
    licenses: new Models.LicenseRepository([licenseOf(license)]),
    ...(note !== undefined && { description: note }),
  })
}

const licenseOf = (license: string) =>
  SPDX.isSupportedSpdxId(license) ? new Models.SpdxLicense(license) : new Models.LicenseExpression(license)
