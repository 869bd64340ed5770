/** Draws mutants: the files of a room, the sites in them, and a choice that its seed decides. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { seededRandom } from '../support/random'
import { applied, type Change, nameOf, parse, sitesOf } from './changes'
import { Compiler } from './compiler'

export interface Mutant {
  path: string
  /** Where the change begins, from 1. */
  line: number
  /** Of what is made when the file is loaded: whoever uses it by this name is concerned. */
  name: string | undefined
  /** The whole file, changed. */
  text: string
  /** The lines that change, trimmed: what the code says, and what it would say. */
  was: string
  is: string
  /** Unified. */
  diff: string
}

/** A mutant that no test could kill, since it does the same; found again by its code, wherever that has moved in its file. */
export interface Equivalent {
  file: string
  was: string
  is: string
  because: string
}

/** A room is a folder of `src/`; these two are cut otherwise. */
const ROOMS: Record<string, string[]> = {
  root: ['src/*.ts'],
  console: ['src/admin/{context,reach}.ts', 'src/admin/procedures/**/*.ts'],
}

/** Throws where there is no such room. */
export function filesOf(root: string, room: string): string[] {
  const patterns = ROOMS[room] ?? [`src/${room}/**/*.ts`]
  const files = patterns.flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: root })])
  if (files.length === 0) throw new Error(`No such room in src/: ${room}`)
  return files.filter((path) => !path.endsWith('.d.ts')).toSorted()
}

export interface Draw {
  root: string
  room: string
  seed: number
  count: number
  equivalents?: readonly Equivalent[]
}

/** At most `count`, fewer where the room has no more; the same of the same code for the same seed. */
export function draw({ root, room, seed, count, equivalents = [] }: Draw): Mutant[] {
  const paths = filesOf(root, room)
  const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
  const sites = [...texts].flatMap(([path, text]) => sitesOf(parse(path, text)).map((site) => ({ path, text, site })))
  const compiler = new Compiler(root, paths)
  const random = seededRandom(seed)
  const mutants: Mutant[] = []
  while (mutants.length < count) {
    const [drawn] = sites.splice(random.below(sites.length), 1)
    if (!drawn) break
    const { path, text, site } = drawn
    const mutant = mutantOf(path, text, random.pick(site))
    if (!isJudged(mutant, equivalents) && compiler.accepts(path, mutant.text)) mutants.push(mutant)
  }
  return mutants
}

export const isJudged = ({ path, was, is }: Mutant, equivalents: readonly Equivalent[]) =>
  equivalents.some((known) => known.file === path && known.was === was && known.is === is)

const CONTEXT = 3

export function mutantOf(path: string, text: string, change: Change): Mutant {
  const changed = applied(text, change)
  const before = text.split('\n')
  const after = changed.split('\n')
  const first = text.slice(0, change.start).split('\n').length - 1
  const untouched = text.slice(change.end).split('\n').length - 1
  const was = before.slice(first, before.length - untouched)
  const is = after.slice(first, after.length - untouched)
  const from = Math.max(0, first - CONTEXT)
  const lead = before.slice(from, first)
  const trail = before.slice(first + was.length, first + was.length + CONTEXT)
  const around = lead.length + trail.length
  const diff = [
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -${from + 1},${around + was.length} +${from + 1},${around + is.length} @@`,
    ...lead.map((line) => ` ${line}`),
    ...was.map((line) => `-${line}`),
    ...is.map((line) => `+${line}`),
    ...trail.map((line) => ` ${line}`),
  ].join('\n')
  const trimmed = (lines: string[]) => lines.map((line) => line.trim()).join('\n')
  return {
    path,
    line: first + 1,
    name: nameOf(change, parse(path, text)),
    text: changed,
    was: trimmed(was),
    is: trimmed(is),
    diff,
  }
}
