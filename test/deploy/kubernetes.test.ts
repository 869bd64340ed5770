/**
 * The chart for Kubernetes: its renderings by Kubernetes' own types and schemas, by what they have to agree with, and by what
 * its values may not be. A machine with Helm also renders it anew.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PrometheusRule, ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'
import Ajv from 'ajv'
import { Deployment } from 'kubernetes-models/apps/v1'
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, PersistentVolumeClaim, Service } from 'kubernetes-models/v1'
import { CHART, headed, RENDERINGS, render, sourceHash } from '../../deploy/kubernetes/render'
import { describeSettings } from '../../src/config'
import { VERSION } from '../../src/domain/operations/version'
import { readersOf } from '../../src/store/postgres/connection/pool'
import { type Json, newFolder, ROOT, run } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const KINDS: Record<string, [module: string, Model: new (document: never) => { validate(): void }]> = {
  ConfigMap: ['kubernetes-models/v1', ConfigMap],
  Deployment: ['kubernetes-models/apps/v1', Deployment],
  Ingress: ['kubernetes-models/networking.k8s.io/v1', Ingress],
  NetworkPolicy: ['kubernetes-models/networking.k8s.io/v1', NetworkPolicy],
  PersistentVolumeClaim: ['kubernetes-models/v1', PersistentVolumeClaim],
  PodDisruptionBudget: ['kubernetes-models/policy/v1', PodDisruptionBudget],
  PrometheusRule: ['@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1', PrometheusRule],
  Service: ['kubernetes-models/v1', Service],
  ServiceMonitor: ['@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1', ServiceMonitor],
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const documentsOf = (file: string) => (Bun.YAML.parse(read(file)) as Json[]).filter((document) => document !== null)
const [sqlite, postgres, everything] = RENDERINGS.map(({ file }) => documentsOf(file)) as [Json[], Json[], Json[]]
const the = (documents: readonly Json[], kind: string): Json => documents.find((document) => document.kind === kind)
const specOf = (documents: readonly Json[]): Json => the(documents, 'Deployment').spec
const containerOf = (documents: readonly Json[]): Json => specOf(documents).template.spec.containers[0]
const settingsOf = (documents: readonly Json[]): Json => the(documents, 'ConfigMap').data

describe.each(RENDERINGS.map((rendering) => ({ file: rendering.file, rendering })))('$file', ({ file, rendering }) => {
  const documents = documentsOf(file)

  test('is as new as the chart: otherwise `bun run chart` renders it', () => {
    expect(read(file).split('\n')[0]).toEndWith(sourceHash(rendering))
  })

  test.if(Bun.which('helm') !== null)('is what Helm makes of the chart', () => {
    expect(headed(rendering, render(rendering) ?? '')).toBe(read(file))
  })

  test('is of kinds that are looked at here, each by its schema', () => {
    for (const document of documents) {
      const Model = KINDS[document.kind]?.[1]
      if (!Model) throw new Error(`nobody looks at ${document.kind}`)
      new Model(document as never).validate()
      expect(() => new Model({ ...document, metadata: 'watchword' } as never).validate()).toThrow()
    }
  })
})

describe('by the types of Kubernetes', () => {
  const folder = newFolder()
  afterAll(() => folder.remove())

  /** The schemas let pass what they do not know; the types made of the same source do not. */
  const typed = async (documents: readonly Json[]) => {
    const values = documents.map((document, index) => {
      const type = `import('${KINDS[document.kind]?.[0]}').I${document.kind}`
      return `export const document${index}: ${type} = ${JSON.stringify(document)}`
    })
    writeFileSync(join(folder.path, 'manifests.ts'), values.join('\n'))
    const tsc = [join(ROOT, 'node_modules/.bin/tsc'), '-p', folder.path]
    return run({ command: tsc, cwd: folder.path, env: { PATH: process.env.PATH ?? '' } })
  }

  test('the renderings say nothing that Kubernetes does not know', async () => {
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
    expect(await typed([...sqlite, ...postgres, ...everything])).toMatchObject({ exitCode: 0, stdout: '' })
    const misspelt = structuredClone(postgres)
    containerOf(misspelt).readinesProbe = {}
    const { exitCode, stdout } = await typed(misspelt)
    expect(exitCode).not.toBe(0)
    expect(stdout).toContain('readinesProbe')
  })
})

describe('the values', () => {
  const validate = new Ajv({ allErrors: true, strict: false }).compile(JSON.parse(read(`${CHART}/values.schema.json`)))
  const byDefault = Bun.YAML.parse(read(`${CHART}/values.yaml`)) as Json
  const isValid = (changes: Json) => validate({ ...byDefault, ...changes })

  test('are valid as they are, and as the renderings change them', () => {
    expect(isValid({})).toBe(true)
    expect(isValid(Bun.YAML.parse(read('test/deploy/chart/everything.values.yaml')))).toBe(true)
    expect(isValid({ store: 'postgres', replicas: 3 })).toBe(true)
  })

  test.each<[string, Json]>([
    ['two servers on one SQLite', { replicas: 2 }],
    ['a store that is none', { store: 'mysql' }],
    ['no Secret', { secrets: { existing: '' } }],
    ['a secret among the settings', { settings: { WATCHWORD_SECRET: 'x' } }],
    ['a database’s password among the settings', { settings: { WATCHWORD_DATABASE_URL: 'x' } }],
    ['a setting that the chart makes itself', { settings: { WATCHWORD_METRICS_LISTEN: '0.0.0.0:1' } }],
    ['a setting of another program', { settings: { PATH: '/bin' } }],
    ['a path in the origin', { publicUrl: 'https://example.com/otp' }],
    ['a digest that is none', { image: { repository: 'watchword', digest: 'latest' } }],
    ['no port outwards, which Kubernetes takes for every port', { networkPolicy: { egressPorts: [] } }],
    ['no list of ports outwards', { networkPolicy: { enabled: true } }],
    ['no name for the Secret of the database’s certificate', { secrets: { existing: 'watchword', databaseCa: '' } }],
    ['a misspelt value', { replica: 3 }],
  ])('refuse %s', (_, changes) => {
    expect(isValid(changes)).toBe(false)
  })

  test('leave no secret of the settings out of the list of what is refused', () => {
    const { enum: refused } = JSON.parse(read(`${CHART}/values.schema.json`)).properties.settings.propertyNames.not
    const secret = describeSettings().filter(({ name }) => /SECRET|(DATABASE|REPLICA)\w*_URL$/.test(name))
    const names = secret.map(({ name }) => name).filter((name) => !name.endsWith('_FILE'))
    expect(names.filter((name) => !refused.includes(name))).toEqual([])
  })
})

test('no setting that the chart makes itself is also taken from the values', () => {
  const { enum: refused } = JSON.parse(read(`${CHART}/values.schema.json`)).properties.settings.propertyNames.not
  const own = [sqlite, postgres].flatMap((documents) => Object.keys(settingsOf(documents)))
  expect(own.filter((name) => !refused.includes(name))).toEqual([])
})

test('the chart is of this version', () => {
  expect(Bun.YAML.parse(read(`${CHART}/Chart.yaml`))).toMatchObject({ version: VERSION, appVersion: VERSION })
  for (const documents of [sqlite, postgres]) expect(containerOf(documents).image).toEndWith(`/watchword:${VERSION}`)
  expect(containerOf(everything).image).toMatch(/\/watchword@sha256:[0-9a-f]{64}$/)
})

describe.each([
  ['on SQLite', sqlite],
  ['over PostgreSQL', postgres],
] as const)('servers %s', (_, documents) => {
  const known = describeSettings()
  const spec = specOf(documents)
  const container = containerOf(documents)
  const settings = settingsOf(documents)

  test('have settings that there are, and no secret in the open', () => {
    expect(Object.keys(settings).filter((name) => !known.some((one) => one.name === name))).toEqual([])
    expect(Object.keys(settings).filter((name) => /SECRET|URL_FILE|DATABASE.*URL/.test(name))).toEqual([])
    expect(documents.filter(({ kind }) => kind === 'Secret')).toEqual([])
    const { name } = the(documents, 'ConfigMap').metadata
    expect([container.env, container.envFrom]).toEqual([
      undefined,
      [{ configMapRef: { name } }, { secretRef: { name: 'watchword' } }],
    ])
  })

  test('are asked whether they live and whether they are ready, where they listen', () => {
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet)
    expect(paths.map(({ path }: Json) => path)).toEqual(['/healthz', '/healthz', '/readyz'])
    const [port, metrics] = container.ports
    expect(settings.WATCHWORD_METRICS_LISTEN).toBe(`0.0.0.0:${metrics.containerPort}`)
    expect(new Set(paths.map((one: Json) => one.port))).toEqual(new Set([port.name]))
    expect(String(port.containerPort)).toBe(known.find(({ name }) => name === 'WATCHWORD_PORT')?.byDefault ?? '')
    expect(the(documents, 'Service').spec.ports[0].targetPort).toBe(port.name)
    const [own, ofPrometheus] = the(documents, 'NetworkPolicy').spec.ingress
    expect([own, ofPrometheus].map(({ ports }: Json) => ports[0].port)).toEqual([port.name, metrics.name])
  })

  test('answer for as long as it takes to see that they leave, and have the time to finish what runs', () => {
    const leaving = Number(settings.WATCHWORD_LEAVING_MS) / 1000
    const { periodSeconds, failureThreshold, timeoutSeconds } = container.readinessProbe
    expect(leaving).toBeGreaterThan(periodSeconds * failureThreshold + timeoutSeconds)
    const usual = Number(/^TimeoutStopSec=(\d+)$/m.exec(read('deploy/watchword.service'))?.[1])
    // The unit's is for one second of leaving.
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(leaving + usual - 1)
  })

  test('may do nothing but serve, as the user the image has', () => {
    const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(read('deploy/container/Containerfile')) ?? []
    expect(spec.template.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: Number(uid), runAsGroup: Number(gid) },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  test('are found by their labels, and only they', () => {
    const { labels } = spec.template.metadata
    expect([spec.selector.matchLabels, the(documents, 'Service').spec.selector]).toEqual([labels, labels])
    expect(the(documents, 'NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels)
  })
})

test('on SQLite one server ends before the next begins, on a volume that outlives the chart', () => {
  const { replicas, strategy, template } = specOf(sqlite)
  expect([replicas, strategy]).toEqual([1, { type: 'Recreate' }])
  expect(the(sqlite, 'PodDisruptionBudget')).toBeUndefined()
  const claim = the(sqlite, 'PersistentVolumeClaim')
  expect(claim.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' })
  expect(template.spec.volumes).toContainEqual({
    name: 'data',
    persistentVolumeClaim: { claimName: claim.metadata.name },
  })
  const data = /^ENV WATCHWORD_DATA=(\S+)$/m.exec(read('deploy/container/Containerfile'))?.[1] ?? ''
  expect(containerOf(sqlite).volumeMounts).toContainEqual({ name: 'data', mountPath: data })
})

describe('over PostgreSQL', () => {
  test('servers are replaced one after the other, and never fewer than there should be', () => {
    const { replicas, strategy, template } = specOf(postgres)
    expect(strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } })
    expect(replicas).toBeGreaterThan(1)
    const budget = the(postgres, 'PodDisruptionBudget').spec
    expect(budget).toEqual({ maxUnavailable: 1, selector: { matchLabels: template.metadata.labels } })
  })

  test('they leave room among the connections that a PostgreSQL has without being set, also while one more of them starts', () => {
    const pool = Number(settingsOf(postgres).WATCHWORD_DATABASE_POOL)
    const servers = specOf(postgres).replicas + specOf(postgres).strategy.rollingUpdate.maxSurge
    const [usual, forSuperusers, forCommands] = [100, 3, 20]
    expect(servers * (pool + readersOf(pool))).toBeLessThanOrEqual(usual - forSuperusers - forCommands)
  })

  test('they can read the certificate by which the database is checked, where the values say it is', () => {
    const { volumes } = specOf(postgres).template.spec
    expect(volumes).toEqual([{ name: 'database-ca', secret: { secretName: 'watchword-database-ca', optional: true } }])
    const [{ name, mountPath, readOnly }] = containerOf(postgres).volumeMounts
    expect([name, readOnly]).toEqual(['database-ca', true])
    expect(read(`${CHART}/values.yaml`)).toContain(`sslrootcert=${mountPath}/ca.crt`)
    expect(read('docs/installing.md')).toContain(
      'kubectl create secret generic watchword-database-ca --from-file=ca.crt',
    )
  })

  test('they may reach carriers and the database, and be reached by whom the values name', () => {
    const { ingress, egress } = the(everything, 'NetworkPolicy').spec
    expect(egress.flatMap(({ ports }: Json) => ports.map(({ port }: Json) => port))).toEqual([
      ...[53, 53],
      ...[443, 2775, 587, 6432],
    ])
    expect(ingress.map(({ from }: Json) => from.length)).toEqual([1, 1])
  })

  test('their metrics are found by a monitor of the job that the rules know', () => {
    const { jobLabel, selector, endpoints } = the(everything, 'ServiceMonitor').spec
    const found = everything.filter(
      ({ kind, metadata }) =>
        kind === 'Service' &&
        Object.entries(selector.matchLabels).every(([name, value]) => metadata.labels[name] === value),
    )
    expect(found).toHaveLength(1)
    expect(found[0].metadata.labels[jobLabel]).toBe('watchword')
    expect(found[0].spec.ports[0]).toEqual({ name: endpoints[0].port, port: 9464, targetPort: 'metrics' })
    expect(read('deploy/prometheus/watchword.rules.yml')).toContain('up{job="watchword"}')
    const rules = Bun.YAML.parse(read('deploy/prometheus/watchword.rules.yml')) as Json
    expect(the(everything, 'PrometheusRule').spec).toEqual(rules)
  })
})
