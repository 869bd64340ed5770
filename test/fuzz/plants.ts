/** Planted faults. Each must be found by the fuzz, or the fuzz proves nothing. Loaded into the server before its own files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../binary/support'

interface Plant {
  /** Whose seed finds it. */
  subject: string
  file: string
  instead: string
  of: string
}

const SERVER = 'src/http/routes.ts'

export const PLANTS: Record<string, Plant> = {
  'patterns are matched by an engine that tries every way': {
    subject: 'patterns',
    file: 'src/domain/message/variable-pattern.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
    instead: "{ fits: (value) => new RegExp(`^(?:${pattern})$`, 'u').test(value), size: 1 }",
    of: '{ fits: (value) => compiled.matches(value), size: compiled.programSize() }',
  },
  'the event loop is held by a long body': {
    subject: 'sizes',
    file: 'src/http/json.ts',
    instead:
      'const used = () => process.threadCpuUsage().user + process.threadCpuUsage().system\n' +
      '  for (const at = used(); text.length === 65_536 && used() - at < 400_000; );\n  const members = countMembers(text)',
    of: 'const members = countMembers(text)',
  },
  'the event loop sleeps over a long body': {
    subject: 'sizes',
    file: 'src/http/json.ts',
    instead:
      'if (text.length === 65_536) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000)\n  const members = countMembers(text)',
    of: 'const members = countMembers(text)',
  },
  'a handler throws what nobody foresaw': {
    subject: 'json',
    file: 'src/usecases/verify-code.ts',
    instead: "throw new Error('planted')",
    of: 'return unknownIssue(request.issueId, clock.now())',
  },
  'a path that is nowhere is answered without the envelope': {
    subject: 'paths',
    file: 'src/http/routes.ts',
    instead: "response: new Response('Nothing here', { status: 404 })",
    of: 'response: new Json(404, notFoundError())',
  },
  'answers have no request id': {
    subject: 'types',
    file: SERVER,
    instead: '',
    of: "'x-request-id': requestId,",
  },
  'a refused order takes credit all the same': {
    subject: 'json',
    file: 'src/usecases/send/send.ts',
    instead:
      'await store.transaction(async (tx) => tx.wallets.save({ ...(await tx.wallets.lock(caller.appId)), balance: 1 }))\n  const capacity = scope.use(await reserveCapacity(',
    of: 'const capacity = scope.use(await reserveCapacity(',
  },
  'the log tells keys': {
    subject: 'types',
    file: SERVER,
    instead: "const keyId = request.headers.get('authorization') ?? undefined\n    const { appId, mode } = key ?? {}",
    of: 'const { appId, keyId, mode } = key ?? {}',
  },
  'an idempotency key is not looked up': {
    subject: 'races',
    file: 'src/usecases/send/send.ts',
    instead: 'undefined,',
    of: 'tx.idempotency.find(owner, checked.keyHash),',
  },
}

/** The name of the one to plant. */
export const PLANT = 'FUZZ_PLANT'

const plant = PLANTS[process.env[PLANT] ?? '']
if (plant) {
  const { file, instead, of } = plant
  const path = join(ROOT, file)
  const source = readFileSync(path, 'utf8')
  if (!source.includes(of)) throw new Error(`Nowhere to plant it: ${file} has no ${of}`)
  Bun.plugin({
    name: 'plant',
    setup: (build) =>
      void build.onLoad({ filter: /\.ts$/ }, ({ path: loaded }) => {
        const contents = loaded === path ? source.replace(of, () => instead) : readFileSync(loaded, 'utf8')
        return { contents, loader: 'ts' }
      }),
  })
}
