/** Records the first entry of each function of `src/` and `contract/`, by a call that is put at its beginning when its file is loaded. */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript5'

const ROOT = join(import.meta.dir, '../..')
const RECORD = '__enter'

/** Functions by file, both in order of first entry. */
export type Trace = Map<string, Set<string>>

let trace: Trace | undefined
const heldTimers: (() => void)[] = []

/** Traces until the returned function is called. Until then no timer fires, since what it begins belongs to no request. */
export function startTrace(): () => Trace {
  const current: Trace = new Map()
  trace = current
  return () => {
    trace = undefined
    for (const fire of heldTimers.splice(0)) fire()
    return current
  }
}

/** Instruments what is imported from now on. */
export function instrument(): void {
  const { setTimeout: schedule } = globalThis
  const holding = (fire: () => void, ms?: number) => schedule(() => (trace ? heldTimers.push(fire) : fire()), ms)
  globalThis.setTimeout = Object.assign(holding, schedule) as typeof setTimeout
  Object.assign(globalThis, {
    [RECORD](file: string, name: string) {
      if (trace) trace.set(file, (trace.get(file) ?? new Set()).add(name))
    },
  })
  Bun.plugin({
    name: 'trace',
    setup(build) {
      build.onLoad(
        { filter: new RegExp(`^${RegExp.escape(ROOT)}/(src|contract)/.*(?<!\\.d)\\.tsx?$`) },
        ({ path }) => ({
          contents: instrumented(relative(ROOT, path), readFileSync(path, 'utf8')),
          loader: path.endsWith('x') ? 'tsx' : 'ts',
        }),
      )
    },
  })
}

function instrumented(file: string, text: string): string {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const insertions: { at: number; text: string }[] = []
  function visit(node: ts.Node): void {
    const body = ts.isFunctionLike(node) && 'body' in node ? node.body : undefined
    if (body) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
      const call = `${RECORD}(${JSON.stringify(file)}, ${JSON.stringify(`${nameOf(node)}:${line}`)})`
      if (ts.isBlock(body)) insertions.push({ at: body.getStart() + 1, text: ` ${call};` })
      else insertions.push({ at: body.getStart(), text: `(${call}, ` }, { at: body.getEnd(), text: ')' })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  // Of two insertions at one place the outer function comes first.
  const parts: string[] = []
  let end = 0
  for (const { at, text: inserted } of insertions.toSorted((a, b) => a.at - b.at)) {
    parts.push(text.slice(end, at), inserted)
    end = at
  }
  return [...parts, text.slice(end)].join('')
}

/** The name of a function, or of the variable, property or call that it is given to. */
function nameOf(node: ts.Node): string {
  const { name, parent } = node as ts.NamedDeclaration
  if (name) return name.getText()
  if (ts.isConstructorDeclaration(node)) return 'constructor'
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText()
  return 'anonymous'
}
