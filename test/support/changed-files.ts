/** What a change touches: tests that look at many pages look at those in full. */
const ROOT = `${import.meta.dir}/../..`

/** Answers a line of output for each file; undefined where git, or what is asked for, is not to be had. */
function git(...args: string[]): string[] | undefined {
  if (Bun.which('git') === null) return undefined
  const { success, stdout } = Bun.spawnSync(['git', ...args], { cwd: ROOT, stderr: 'ignore' })
  return success ? stdout.toString().trim().split('\n') : undefined
}

/** What changed since the base of this branch, committed or not; on main, since the commit before. Undefined where nothing is known. */
export function changedFiles(): string[] | undefined {
  const given = process.env.TEST_SINCE
  const isOnMain = git('rev-parse', '--abbrev-ref', 'HEAD')?.[0] === 'main'
  const [base] = given ? [given] : ((isOnMain ? undefined : git('merge-base', 'HEAD', 'main')) ?? ['HEAD~1'])
  const changed = git('diff', '--name-only', '--relative', base ?? 'HEAD~1')
  const added = git('ls-files', '--others', '--exclude-standard')
  return changed && added && [...changed, ...added]
}
