/**
 * Connections to a file that count how many pages each statement reads, by what the process has read from files. A small
 * cache makes every page count. Linux only.
 */
import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { openSync, readSync } from 'node:fs'

const PAGE_BYTES = 4_096
const EXECUTING = new Set<PropertyKey>(['get', 'all', 'run', 'values'])

export interface Execution {
  text: string
  pages: number
  /** Answered or changed. */
  rows: number
}

const counters = openSync('/proc/self/io', 'r')
const buffer = Buffer.alloc(512)
function bytesRead(): number {
  const length = readSync(counters, buffer, 0, buffer.length, 0)
  return Number(/rchar: (\d+)/.exec(buffer.toString('latin1', 0, length))?.[1])
}
/** Looking counts, too. */
const ofLooking = () => {
  const before = bytesRead()
  return bytesRead() - before
}

export class PageCounter {
  /** The execution of each statement that has read most. */
  readonly worst = new Map<string, Execution>()

  readonly connect = (file: string, options: { create: true } | { readonly: true }): Database => {
    const db = new Database(file, { ...options, strict: true })
    const prepared = (text: string) => this.#counting(db.prepare(text), text)
    return new Proxy(db, {
      get(target, name) {
        if (name === 'prepare' || name === 'query') return prepared
        if (name === 'run') return (sql: string) => target.run(sql.replace(/cache_size = .*/, 'cache_size = -1024'))
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  #counting(statement: ReturnType<Database['prepare']>, text: string) {
    return new Proxy(statement, {
      get: (target, name) => {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (!EXECUTING.has(name)) return value.bind(target)
        return (...values: SQLQueryBindings[]) => {
          const looking = ofLooking()
          const before = bytesRead()
          const answer = value.apply(target, values)
          this.#note(text, Math.round((bytesRead() - before - looking) / PAGE_BYTES), rowsIn(answer))
          return answer
        }
      },
    })
  }

  #note(text: string, pages: number, rows: number): void {
    const known = this.worst.get(text)
    if (!known || pages > known.pages) this.worst.set(text, { text, pages, rows })
  }
}

const rowsIn = (answer: unknown): number =>
  Array.isArray(answer) ? answer.length : ((answer as { changes?: number } | null)?.changes ?? 1)
