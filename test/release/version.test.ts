/** What a build is called: a release where its commit is tagged so, otherwise what comes before the next one. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { debianVersion } from '../../deploy/release/debian'
import { versionOf } from '../../deploy/release/origin'
import { execute } from '../../deploy/release/programs'
import { newFolder } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const { path, remove } = newFolder()
afterAll(() => remove())
const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']
const git = (...args: string[]) => execute('git', ['-C', path, ...author, ...args]).trim()
const commit = () => git('commit', '--quiet', '--allow-empty', '--message', 'a commit')
const head = () => git('rev-parse', '--short=12', 'HEAD')

beforeAll(() => {
  git('init', '--quiet')
  commit()
})

test('a commit that no release is made of has the next one, how many commits there were, and which it is', () => {
  expect(versionOf(path, '0.1.0')).toBe(`0.2.0-dev.1+${head()}`)
  git('tag', 'v0.1.0')
  expect(versionOf(path, '0.1.0')).toBe('0.1.0')
  commit()
  commit()
  expect(versionOf(path, '0.1.0')).toBe(`0.2.0-dev.2+${head()}`)
  git('tag', 'v0.2.0')
  expect(versionOf(path, '0.2.0')).toBe('0.2.0')
})

test('files that differ from the commit are no release', () => {
  writeFileSync(join(path, 'file'), 'one')
  git('add', 'file')
  expect(versionOf(path, '0.2.0')).toEndWith('.dirty')
  git('reset', '--quiet')
})

test('without Git it is the release', () => {
  expect(versionOf('/', '0.1.0')).toBe('0.1.0')
})

test('Debian sorts builds between the releases, by their commits', () => {
  const inOrder = [
    '0.1.0',
    '0.2.0-dev.9+ffffffffffff',
    '0.2.0-dev.17+000000000000',
    '0.2.0',
    '0.3.0-dev.1+0123456789ab',
  ]
  for (const [n, version] of inOrder.slice(1).entries())
    execute('dpkg', ['--compare-versions', debianVersion(inOrder[n] as string), 'lt', debianVersion(version)])
})
