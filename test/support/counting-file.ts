/** What is asked of files of SQLite, statement by statement: of those that are opened from here on. */
import { Database } from 'bun:sqlite'

const ASKING = new Set<PropertyKey>(['run', 'get', 'all', 'values', 'iterate'])
/** What only begins and ends transactions and groups of reads, and looks whether transactions have written or settings have changed. */
const AROUND = /^(BEGIN|END|SAVEPOINT|RELEASE|ROLLBACK|PRAGMA|SELECT total_changes)/

export class CountingFile {
  readonly #asked: string[] = []
  readonly #restored: Array<() => void> = []

  constructor() {
    for (const word of ['prepare', 'query'] as const) {
      const was = Database.prototype[word]
      const counted = (database: Database, text: string) => this.#counted(was.call(database, text), text)
      Database.prototype[word] = function (this: Database, text: string) {
        return counted(this, text)
      } as typeof was
      this.#restored.push(() => {
        Database.prototype[word] = was as never
      })
    }
  }

  /** Since it was asked last. */
  take(): { commits: number; statements: string[] } {
    const asked = this.#asked.splice(0)
    const commits = asked.filter((text) => text === 'COMMIT').length
    return { commits, statements: asked.filter((text) => text !== 'COMMIT' && !AROUND.test(text)) }
  }

  restore(): void {
    for (const restore of this.#restored) restore()
  }

  #counted<S extends object>(statement: S, text: string): S {
    return new Proxy(statement, {
      get: (target, name) => {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          if (ASKING.has(name)) this.#asked.push(text)
          return value.apply(target, given)
        }
      },
    })
  }
}
