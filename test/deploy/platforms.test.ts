/**
 * Templates for platforms that host containers. Each makes one server with SQLite on one volume, and agrees with the image. The
 * compose files are held against the specification's schema; no platform is asked, because that takes an account.
 */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { readConfig } from '../../src/config'
import { VERSION } from '../../src/domain/operations/version'
import { MIN_SECRET_LENGTH } from '../../src/ports/vault'
import { type Json, ROOT } from '../binary/support'
import schema from './schema/compose-spec.json'

const textOf = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8')
const platform = (name: string) => textOf(`platforms/${name}`)
const yaml = (name: string) => Bun.YAML.parse(platform(name)) as Json
const toml = (name: string) => Bun.TOML.parse(platform(name)) as Json

/** What the image is, as its file says. */
const containerfile = textOf('container/Containerfile')
const only = (pattern: RegExp) => {
  const [, value] = pattern.exec(containerfile) ?? []
  if (value === undefined) throw new Error(`The Containerfile does not say ${pattern}`)
  return value
}
const PORT = Number(only(/^EXPOSE (\d+)$/m))
const VOLUME = only(/^VOLUME (\S+)$/m)
const CHECK = JSON.parse(only(/ CMD (\["\/usr.+\])$/m)) as string[]
/** What Kubernetes asks before it sends requests to a pod. */
const [, READY] = /readinessProbe:\n +httpGet: \{ path: (\S+), /.exec(textOf('kubernetes/sqlite.yaml')) ?? []
const [, STOP_SECONDS] = /^TimeoutStopSec=(\d+)$/m.exec(textOf('watchword.service')) ?? []

interface Template {
  /** Of the container, or nothing where the platform finds it out by PORT. */
  port: unknown
  volume: unknown
  /** The path that is asked, or the command that is run. */
  health: string | string[]
  stopSeconds: unknown
  /** Settings and variables of the container. */
  environment: Record<string, string | undefined>
  /** Where the platform makes the master secret, or the command by which a person does. */
  secret: unknown
}

const seconds = (text: string) => text.replace(/s$/, '')

function ofCompose(name: string): Omit<Template, 'secret' | 'port'> & { text: string } {
  const { watchword } = yaml(name).services
  const { environment } = watchword
  const entries = Array.isArray(environment)
    ? environment.map((line: string) => line.split('=') as [string, string])
    : Object.entries(environment as Record<string, string>)
  const [source, target] = watchword.volumes[0].split(':')
  expect(Object.keys(yaml(name).volumes)).toEqual([source])
  expect([watchword.ports, watchword.deploy, watchword.scale]).toEqual([undefined, undefined, undefined])
  return {
    text: platform(name),
    volume: target,
    health: watchword.healthcheck.test.slice(1),
    stopSeconds: seconds(watchword.stop_grace_period),
    environment: Object.fromEntries(entries),
  }
}

const TEMPLATES: Record<string, () => Template> = {
  'fly.toml': () => {
    const { http_service, mounts, env, kill_timeout, kill_signal } = toml('fly.toml')
    expect(mounts).toHaveLength(1)
    expect([kill_signal, http_service.auto_stop_machines, http_service.min_machines_running]).toEqual([
      'SIGTERM',
      'off',
      1,
    ])
    expect(platform('fly.toml')).toContain('fly deploy --ha=false')
    return {
      port: http_service.internal_port,
      volume: mounts[0].destination,
      health: http_service.checks[0].path,
      stopSeconds: seconds(kill_timeout),
      environment: { ...env, WATCHWORD_SECRET: '' },
      secret: /fly secrets set --stage (WATCHWORD_SECRET=.+openssl rand .+")/.exec(platform('fly.toml'))?.[1],
    }
  },
  'railway.toml': () => {
    const { deploy } = toml('railway.toml')
    expect([deploy.numReplicas, deploy.overlapSeconds, deploy.sleepApplication]).toEqual([1, 0, false])
    const environment = Object.fromEntries(
      [...platform('railway.toml').matchAll(/^# {3}([A-Z_]+)=(.+)$/gm)].map(([, name, value]) => [name, value]),
    )
    return {
      port: Number(environment.PORT),
      volume: deploy.requiredMountPath,
      health: deploy.healthcheckPath,
      stopSeconds: String(deploy.drainingSeconds),
      environment,
      secret: environment.WATCHWORD_SECRET,
    }
  },
  'render.yaml': () => {
    const [{ disk, envVars, numInstances, scaling, ...service }, ...more] = yaml('render.yaml').services
    expect([numInstances, scaling, more]).toEqual([1, undefined, []])
    const environment = Object.fromEntries(envVars.map(({ key, value }: Json) => [key, value]))
    return {
      port: Number(environment.PORT),
      volume: disk.mountPath,
      health: service.healthCheckPath,
      stopSeconds: String(service.maxShutdownDelaySeconds),
      environment,
      secret: envVars.find(({ key }: Json) => key === 'WATCHWORD_SECRET').generateValue,
    }
  },
  'coolify.yaml': () => {
    const { text, ...template } = ofCompose('coolify.yaml')
    const { environment } = template
    const [port] = Object.keys(environment).flatMap((name) => /^SERVICE_URL_WATCHWORD_(\d+)$/.exec(name)?.[1] ?? [])
    expect(text).toContain(`\n# port: ${port}\n`)
    return { ...template, port: Number(port), secret: /SERVICE_BASE64_/.exec(String(environment.WATCHWORD_SECRET)) }
  },
  'dokploy/docker-compose.yml': () => {
    const { text, ...template } = ofCompose('dokploy/docker-compose.yml')
    const { variables, config } = toml('dokploy/template.toml')
    // What the compose file asks for is what the template gives.
    const asked = [...text.matchAll(/\$\{(\w+):\?\}/g)].map(([, name = '']) => name)
    expect(new Set(Object.keys(config.env))).toEqual(new Set(asked))
    expect(config.domains.map(({ serviceName, port }: Json) => [serviceName, port])).toEqual([['watchword', PORT]])
    return {
      ...template,
      port: yaml('dokploy/docker-compose.yml').services.watchword.expose[0],
      secret: variables.secret,
    }
  },
}

describe.each(Object.entries(TEMPLATES))('%s', (name, read) => {
  test('has the port, the volume and the health check of the image, and time to end as the unit has', () => {
    const template = read()
    expect([template.port, template.volume, template.stopSeconds]).toEqual([PORT, VOLUME, STOP_SECONDS])
    expect([CHECK, READY]).toContainEqual(template.health)
  })

  test('has settings that there are, of which an origin, the proxy and a secret that is made', () => {
    const template = read()
    const settings = Object.entries(template.environment).filter(([setting]) => !/^(PORT$|SERVICE_)/.test(setting))
    expect(settings.map(([setting]) => setting).sort()).toEqual([
      ...['WATCHWORD_PUBLIC_URL', 'WATCHWORD_SECRET', 'WATCHWORD_TRUSTED_PROXIES'],
    ])
    // As the platform, or whoever has made it a secret, fills them in.
    const made = { WATCHWORD_PUBLIC_URL: 'https://otp.example.com', WATCHWORD_SECRET: 'x'.repeat(MIN_SECRET_LENGTH) }
    const said = settings.filter(([, value]) => value !== undefined && value !== '' && !String(value).includes('$'))
    expect(readConfig({ ...made, ...Object.fromEntries(said) }).trustedProxies).not.toEqual([])
    expect(template.secret).toBeTruthy()
  })

  test('says that there is one, and that the platform did not run it', () => {
    const comments = platform(name).replaceAll(/\n# ?/g, ' ')
    expect(comments).toMatch(/one (machine|instance|container) with SQLite on one (volume|disk)/)
    expect(comments).toContain('so never scale it.')
    expect(comments).toMatch(/it was not run on \w/)
  })
})

test('each starts the image of this release', () => {
  const images = ['Dockerfile', 'coolify.yaml', 'dokploy/docker-compose.yml'].map(
    (name) => /(?:FROM|image:) \S+:(\S+)$/m.exec(platform(name))?.[1],
  )
  expect(images).toEqual([VERSION, VERSION, VERSION])
  const dockerfiles = [
    toml('fly.toml').build.dockerfile,
    toml('railway.toml').build.dockerfilePath,
    yaml('render.yaml').services[0].dockerfilePath.replace('./', ''),
  ]
  expect(dockerfiles).toEqual(['Dockerfile', 'Dockerfile', 'Dockerfile'])
})

test('the compose files are some by the schema', () => {
  const isRight = addFormats(new Ajv({ strict: false })).compile({
    ...schema,
    $schema: 'http://json-schema.org/draft-07/schema',
  })
  for (const name of ['coolify.yaml', 'dokploy/docker-compose.yml']) {
    expect([isRight(yaml(name)), isRight.errors]).toEqual([true, null])
    const { read_only, ...service } = yaml(name).services.watchword
    expect(isRight({ services: { watchword: { ...service, read_olny: read_only } } })).toBe(false)
  }
})
