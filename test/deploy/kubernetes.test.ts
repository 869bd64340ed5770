/** The manifests for Kubernetes, by its own types and schemas, and by what they have to agree with. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Deployment } from 'kubernetes-models/apps/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Secret, Service } from 'kubernetes-models/v1'
import { describeSettings } from '../../src/config'
import { VERSION } from '../../src/domain/operations/version'
import { readersOf } from '../../src/store/postgres/connection/pool'
import { type Json, newFolder, ROOT, run } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const KINDS = { ConfigMap, Deployment, PodDisruptionBudget, Secret, Service }

const text = readFileSync(join(ROOT, 'deploy/kubernetes/watchword.yaml'), 'utf8')
const documents = Bun.YAML.parse(text) as Json[]
const the = (kind: keyof typeof KINDS): Json => documents.find((document) => document.kind === kind)
const { spec } = the('Deployment')
const [container] = spec.template.spec.containers

describe('each document', () => {
  const folder = newFolder()
  afterAll(() => folder.remove())

  test('is of a kind that is looked at here, once', () => {
    expect(documents.map(({ kind }) => kind).sort()).toEqual(Object.keys(KINDS).sort())
  })

  test.each(Object.entries(KINDS))('%s is one by its schema', (kind, Model) => {
    const document = the(kind as keyof typeof KINDS)
    new Model(document).validate()
    expect(() => new Model({ ...document, metadata: 'watchword' }).validate()).toThrow()
  })

  /** The schemas let pass what they do not know; the types made of the same source do not. */
  const typed = async (documents: readonly Json[]) => {
    const imports = `import type { IConfigMap, ISecret, IService } from 'kubernetes-models/v1'
import type { IDeployment } from 'kubernetes-models/apps/v1'
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1'`
    const values = documents.map(
      (document) => `export const a${document.kind}: I${document.kind} = ${JSON.stringify(document)}`,
    )
    writeFileSync(join(folder.path, 'manifests.ts'), [imports, ...values].join('\n'))
    const tsc = [join(ROOT, 'node_modules/.bin/tsc'), '-p', folder.path]
    return run({ command: tsc, cwd: folder.path, env: { PATH: process.env.PATH ?? '' } })
  }

  test('says nothing that Kubernetes does not know', async () => {
    symlinkSync(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'))
    const options = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      module: 'esnext',
      moduleResolution: 'bundler',
      types: [],
    }
    writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
    expect(await typed(documents)).toMatchObject({ exitCode: 0, stdout: '' })
    const misspelt = structuredClone(documents)
    misspelt.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers[0].readinesProbe = {}
    const { exitCode, stdout } = await typed(misspelt)
    expect(exitCode).not.toBe(0)
    expect(stdout).toContain('readinesProbe')
  })
})

describe('the servers', () => {
  const known = describeSettings()
  const settings = { ...the('ConfigMap').data, ...the('Secret').stringData }

  test('have settings that there are, and no secret in the open', () => {
    expect(Object.keys(settings).filter((name) => !known.some((one) => one.name === name))).toEqual([])
    expect(Object.values(the('Secret').stringData).filter((value) => value !== '')).toEqual([])
    expect(Object.keys(the('ConfigMap').data).filter((name) => /SECRET|URL_FILE|DATABASE.*URL/.test(name))).toEqual([])
    const sources = container.envFrom.map((source: Json) => Object.values(source)[0])
    expect(sources).toEqual([{ name: the('ConfigMap').metadata.name }, { name: the('Secret').metadata.name }])
  })

  test('are asked whether they live and whether they are ready, where they listen', () => {
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet)
    expect(paths.map(({ path }: Json) => path)).toEqual(['/healthz', '/healthz', '/readyz'])
    const [port, metrics] = container.ports
    expect(settings.WATCHWORD_METRICS_LISTEN).toBe(`0.0.0.0:${metrics.containerPort}`)
    expect(new Set(paths.map((one: Json) => one.port))).toEqual(new Set([port.name]))
    expect(String(port.containerPort)).toBe(known.find(({ name }) => name === 'WATCHWORD_PORT')?.byDefault ?? '')
    expect(the('Service').spec.ports[0].targetPort).toBe(port.name)
  })

  test('answer for as long as it takes to see that they leave, and have the time to finish what runs', () => {
    const leaving = Number(settings.WATCHWORD_LEAVING_MS) / 1000
    const { periodSeconds, failureThreshold, timeoutSeconds } = container.readinessProbe
    expect(leaving).toBeGreaterThan(periodSeconds * failureThreshold + timeoutSeconds)
    const unit = readFileSync(join(ROOT, 'deploy/watchword.service'), 'utf8')
    const usual = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])
    // The unit's is for one second of leaving.
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(leaving + usual - 1)
  })

  test('are replaced one after the other, and never fewer than there should be', () => {
    expect(spec.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } })
    expect(spec.replicas).toBeGreaterThan(1)
    expect(the('PodDisruptionBudget').spec.maxUnavailable).toBe(1)
    const labels = spec.template.metadata.labels
    expect([spec.selector.matchLabels, the('Service').spec.selector]).toEqual([labels, labels])
    expect(the('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels)
  })

  test('leave room among the connections that a PostgreSQL has without being set, also while one more of them starts', () => {
    const pool = Number(settings.WATCHWORD_DATABASE_POOL)
    const servers = spec.replicas + spec.strategy.rollingUpdate.maxSurge
    const [usual, forSuperusers, forCommands] = [100, 3, 20]
    expect(servers * (pool + readersOf(pool))).toBeLessThanOrEqual(usual - forSuperusers - forCommands)
  })

  test('can read the certificate by which the database is checked, where the URL says it is', () => {
    const { volumes } = spec.template.spec
    expect(volumes).toEqual([{ name: 'database-ca', secret: { secretName: 'watchword-database-ca', optional: true } }])
    const [{ name, mountPath, readOnly }] = container.volumeMounts
    expect([name, readOnly]).toEqual(['database-ca', true])
    expect(text).toContain(`sslmode=verify-full&sslrootcert=${mountPath}/ca.crt`)
    expect(text).toContain('kubectl create secret generic watchword-database-ca --from-file=ca.crt')
  })

  test('may do nothing but serve, as the user the image has', () => {
    const image = readFileSync(join(ROOT, 'deploy/container/Containerfile'), 'utf8')
    const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(image) ?? []
    expect(spec.template.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: Number(uid), runAsGroup: Number(gid) },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(container.image).toEndWith(`/watchword:${VERSION}`)
  })
})
