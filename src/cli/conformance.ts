/** `watchword conformance` holds a server of this interface to its specification. */
import type { Command } from 'commander'
import { Option } from 'commander'
import { command } from './command'
import { Failure } from './output'

interface Options {
  url: string
  key: string
  publicKey?: string
  otherKey?: string
  wire: 'rest' | 'rpc'
  junit?: string
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
    .action(async (options: Options) => {
      if (!/^sk_test_/.test(options.key)) throw new Failure('test_key', '--key must be a test key, which costs nothing')
      const results = await run(options)
      if (results.some(({ outcome }) => outcome === 'broken')) process.exitCode = 1
    })

async function run({ url, key, publicKey, otherKey, wire, junit }: Options) {
  const [{ httpApi }, { RULES }, { holdTo }, report] = await Promise.all([
    import('../conformance/http-api'),
    import('../conformance/rules'),
    import('../conformance/suite'),
    import('../conformance/report'),
  ])
  const print = (lines: string[]) => process.stdout.write(`${lines.join('\n')}\n`)
  const api = httpApi({
    ...{ url: url.replace(/\/$/, ''), key, wire, run: crypto.randomUUID().slice(0, 8) },
    keys: { ...(publicKey !== undefined && { publicKey }), ...(otherKey !== undefined && { otherKey }) },
    fetch: (address, init) => fetch(address, init),
    now: () => performance.now(),
    pause: Bun.sleep,
  })
  print(report.tapHead(RULES.length))
  let number = 0
  const results = await holdTo(api, RULES, (result) => print(report.tapLines(result, ++number)))
  if (junit !== undefined) await Bun.write(junit, report.junit(results))
  return results
}
