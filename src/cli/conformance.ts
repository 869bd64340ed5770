/** `watchword conformance` holds a server of this interface to its specification. */
import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import type { KillableServices } from '../conformance/faults'
import type { RuleResult } from '../conformance/suite'
import { command, oneOrMore, wholeNumber } from './command'
import { Failure, print } from './output'

interface Options {
  url: string
  key: string
  publicKey?: string
  otherKey?: string
  wire: 'rest' | 'rpc'
  junit?: string
  faults?: number
  compose?: string
  seed?: number
}

export const conformanceCommand = (): Command =>
  command(
    'conformance',
    'hold a server to the interface specification, in test mode; exits with 1 where a rule is broken',
    'conformance --url https://otp.example.com/v1 --key sk_test_…',
    'conformance --url http://127.0.0.1:8787/v1 --key sk_test_… --public-key pk_test_… --junit report.xml',
  )
    .requiredOption('--url <url>', 'base URL of the server, with its version segment /v1')
    .requiredOption('--key <key>', 'secret test key with every scope (sk_test_…)')
    .option('--public-key <key>', 'public test key of the same app (pk_test_…), for the rules of browsers')
    .option('--other-key <key>', 'secret test key of another app, for the rules that keep apps apart')
    .addOption(new Option('--wire <wire>', 'how operations are called').choices(['rest', 'rpc']).default('rest'))
    .option('--junit <file>', 'also write the results as XML of JUnit')
    .option('--faults <kills>', 'then kill services of the compose file so often, and check the history', oneOrMore)
    .option('--compose <file>', 'compose file of the servers and their database, for --faults')
    .option('--seed <n>', 'seed of the faults (default: another one each time; it is printed)', wholeNumber)
    .action(async (options: Options) => {
      if ((options.faults === undefined) !== (options.compose === undefined))
        throw new InvalidArgumentError('--faults and --compose go together')
      if (!/^sk_test_/.test(options.key)) throw new Failure('test_key', '--key must be a test key, which costs nothing')
      const results = await run(options)
      if (results.some(({ outcome }) => outcome === 'broken')) process.exitCode = 1
    })

async function run(options: Options) {
  const { url, key, publicKey, otherKey, wire, junit, faults: kills, compose, seed } = options
  const [{ httpApi }, { RULES }, { holdTo }, report, faults, { seededChoice }] = await Promise.all([
    import('../conformance/http-api'),
    import('../conformance/rules'),
    import('../conformance/suite'),
    import('../conformance/report'),
    import('../conformance/faults'),
    import('../conformance/seeded-choice'),
  ])
  const say = (lines: string[]) => print(`${lines.join('\n')}\n`)
  const api = httpApi({
    ...{ url: url.replace(/\/$/, ''), key, wire, run: crypto.randomUUID().slice(0, 8) },
    keys: { ...(publicKey !== undefined && { publicKey }), ...(otherKey !== undefined && { otherKey }) },
    fetch: (address, init) => fetch(address, init),
    now: () => performance.now(),
    pause: Bun.sleep,
  })
  say(report.tapHead(RULES.length + (kills === undefined ? 0 : faults.CHECKS)))
  let number = 0
  const printResult = (result: RuleResult) => say(report.tapLines(result, ++number))
  const results = await holdTo(api, RULES, printResult)
  if (kills !== undefined && compose !== undefined) {
    const chosen = seed ?? Date.now() % 1_000_000
    say([`# seed ${chosen}`])
    const killed = await faults.holdUnderFaults({
      ...{ server: api, kills, pause: Bun.sleep, services: composeServices(compose) },
      choice: seededChoice(chosen),
      onEvent: (text) => say([`# ${text}`]),
    })
    results.push(...killed)
    for (const result of killed) printResult(result)
  }
  if (junit !== undefined) await Bun.write(junit, report.junit(results))
  return results
}

/** Services of a compose file, as `docker compose` kills and starts them. */
function composeServices(file: string): KillableServices {
  const docker = async (...words: string[]) => {
    const child = Bun.spawn(['docker', 'compose', '-f', file, ...words], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr, exitCode] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    if (exitCode !== 0) throw new Failure('compose', `docker compose ${words.join(' ')}: ${stderr.trim()}`)
    return stdout
  }
  return {
    names: async () => (await docker('ps', '--services')).split('\n').filter(Boolean),
    kill: async (name) => void (await docker('kill', '--signal', 'SIGKILL', name)),
    start: async (name) => void (await docker('start', name)),
  }
}
