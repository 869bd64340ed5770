/** What a build is made from, and when: the same for everybody who builds the same commit. */
import { version } from '../../package.json'
import type { Build } from '../../src/domain/operations/version'

export type Origin = Pick<Build, 'version' | 'commit' | 'builtAt'>

export function originOf(folder: string): Origin {
  const seconds = process.env.SOURCE_DATE_EPOCH ?? git(folder, 'log', '-1', '--format=%ct')
  return {
    version: versionOf(folder),
    commit: git(folder, 'describe', '--always', '--dirty', '--abbrev=40', '--exclude=*') ?? null,
    builtAt: seconds === undefined ? null : timeOf(seconds),
  }
}

/**
 * The release of `package.json` where the commit is tagged so, or nobody knows the commit; otherwise what comes before the next
 * one: `0.2.0-dev.17+0123456789ab`, by the number of commits. Debian and semver sort these between the two releases.
 */
export function versionOf(folder: string, release = version): string {
  const tag = `v${release}`
  const commit = git(folder, 'describe', '--always', '--dirty=.dirty', '--abbrev=12', '--exclude=*')
  if (commit === undefined || (!commit.endsWith('.dirty') && git(folder, 'tag', '--points-at', 'HEAD', tag)))
    return release
  const since = git(folder, 'rev-parse', '--verify', '--quiet', `${tag}^{commit}`) ? `${tag}..HEAD` : 'HEAD'
  const [major, minor] = release.split('.')
  return `${major}.${Number(minor) + 1}.0-dev.${git(folder, 'rev-list', '--count', since)}+${commit}`
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
