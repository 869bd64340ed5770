/** What a build is made from, and when: the same for everybody who builds the same commit. */
import type { Build } from '../../src/cli/version'

export type Origin = Pick<Build, 'commit' | 'builtAt'>

export function originOf(folder: string): Origin {
  const seconds = process.env.SOURCE_DATE_EPOCH ?? git(folder, 'log', '-1', '--format=%ct')
  return {
    commit: git(folder, 'describe', '--always', '--dirty', '--abbrev=40', '--exclude=*') ?? null,
    builtAt: seconds === undefined ? null : timeOf(seconds),
  }
}

/** @throws Error where `SOURCE_DATE_EPOCH` is no time. */
function timeOf(seconds: string): string {
  if (!/^\d+$/.test(seconds)) throw new Error(`SOURCE_DATE_EPOCH must be seconds since 1970: ${seconds}`)
  return new Date(Number(seconds) * 1000).toISOString()
}

/** What Git answers; nothing where there is none, or no repository. */
function git(folder: string, ...args: string[]): string | undefined {
  const program = Bun.which('git')
  if (program === null) return undefined
  const { exitCode, stdout } = Bun.spawnSync([program, '-C', folder, ...args], { stderr: 'ignore' })
  return exitCode === 0 ? stdout.toString().trim() : undefined
}
