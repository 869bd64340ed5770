/** Programs a release is made with, beside Bun. */

/** Runs one to its end, and answers what it wrote. @throws Error where it is not here, or fails. */
export function execute(program: string, args: readonly string[], how: { cwd?: string; env?: object } = {}): string {
  const path = Bun.which(program)
  if (path === null) throw new Error(`There is no ${program} here, which a release is made with`)
  const { exitCode, stdout, stderr } = Bun.spawnSync([path, ...args], {
    ...(how.cwd !== undefined && { cwd: how.cwd }),
    env: { ...process.env, ...how.env },
  })
  if (exitCode !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${exitCode}: ${stderr}`)
  return stdout.toString()
}
