import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { complete } from '../../src/cli/completion'
import bash from '../../src/cli/completion/watchword.bash' with { type: 'text' }
import { createProgram } from '../../src/cli/program'
import { openAt, Scratch } from '../store/open'
import { APP, anEndpoint, furnish } from '../store/sample'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const scratch = new Scratch()
const store = openAt(scratch.file)
await furnish(store)
await store.transaction(async (tx) => {
  await tx.apps.add({ ...APP, appId: 'app_gone', name: 'gone' })
  await tx.apps.remove('app_gone')
  await tx.endpoints.add(anEndpoint())
  await tx.carriers.save({ name: 'main', type: 'http', channels: ['sms'], config: {}, createdAt: 0 })
})
await store.close()
afterAll(() => scratch[Symbol.dispose]())

const program = await createProgram({ isJson: false })
const IN = ['--data', scratch.dir]

/** What the last word of a line may become. */
async function found(...words: string[]): Promise<string[] | string> {
  const answer = await complete(program, words)
  return typeof answer === 'string' ? answer : answer.map(({ id }) => id)
}

describe('Tab completes', () => {
  test.each([
    ['a command', ['templ'], ['template']],
    [
      'what a command can do',
      ['app', ''],
      [
        'create',
        'list',
        'rename',
        'region',
        'texts',
        'proofs',
        'retention',
        'twilio',
        'protect',
        'challenge',
        'unlock',
        'block',
        'unblock',
        'remove',
        'help',
      ],
    ],
    ['an option', ['key', 'create', '--ori'], ['--origin']],
    ['no option twice', ['key', 'list', '--json', '--js'], []],
    ['one that may be repeated', ['key', 'create', '--origin', 'https://a.example', '--ori'], ['--origin']],
    ['a choice', ['key', 'create', '--mode', ''], ['live', 'test']],
    ['a choice after =', ['key', 'create', '--mode=l'], ['--mode=live']],
    ['an argument with choices', ['completion', 'z'], ['zsh']],
    ['a scope', ['key', 'create', '--scope', 'otp:i'], ['otp:issue']],
    ['an app of the data folder, not one that was removed', ['key', 'list', ...IN, '--app', ''], [APP.appId]],
    ['an app as an argument', ['app', 'rename', ...IN, 'app_'], [APP.appId]],
    ['nothing after the arguments are all there', ['app', 'remove', ...IN, APP.appId, ''], []],
    ['a webhook', ['webhook', 'events', ...IN, ''], [anEndpoint().endpointId]],
    ['a carrier', ['provider', 'test', ...IN, 'm'], ['main']],
    ['files', ['restore', ''], ':files'],
    ['files for an option', ['provider', 'set', 'main', '--config', ''], ':files'],
    ['files where a folder may stand', ['move', '--from', ''], ':files'],
    ['no files for a date', ['issue', 'list', '--since', ''], []],
  ] as Array<[string, string[], string[] | string]>)('%s', async (_, words, expected) => {
    expect(await found(...words)).toEqual(expected)
  })

  test('and makes no database where there is none', async () => {
    const nowhere = join(scratch.dir, 'nowhere')
    expect(await found('key', 'list', '--data', nowhere, '--app', '')).toEqual([])
    expect(existsSync(nowhere)).toBe(false)
  })
})

describe('in a real bash', () => {
  const source = join(import.meta.dir, '../../src/main.ts')

  /** What Tab offers at the end of a line, in a bash that has nothing but the printed script. */
  async function tab(line: string): Promise<string[]> {
    const script = `${bash}
watchword() { ${process.execPath} ${source} "$@"; }
COMP_LINE=$1 COMP_POINT=\${#1}
_watchword
printf '%s\\n' "\${COMPREPLY[@]}"`
    const child = Bun.spawn(['bash', '--norc', '-c', script, 'bash', line], { env: {}, stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    expect(stderr).toBe('')
    return stdout.trim().split('\n')
  }

  test.each([
    ['watchword res', ['restore']],
    ['watchword key create --kind ', ['sk', 'pk']],
    // bash replaces what follows the last `:` or `=` only.
    ['watchword key create --scope otp:i', ['issue']],
    ['watchword key create --kind=s', ['sk']],
    [`watchword key list --data ${scratch.dir} --app `, [APP.appId]],
    [`watchword restore ${import.meta.dir}/comp`, [import.meta.path]],
  ])('%s⇥', async (line, expected) => {
    expect(await tab(line)).toEqual(expected)
  })
})
