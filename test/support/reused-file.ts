/** A file of SQLite whose connections stay open: the next world takes them, with all that they have prepared. */
import { Database as File } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '../../src/ports/store'
import { openStore, type StoreOptions } from '../../src/store/sqlite/open'
import { atEnd } from './at-end'
import { layOutAt, scratch } from './laid-out'
import { FilePlace, type Opening, type Parameter } from './place'

/** What one world leaves to the next, because it takes longer to make than most tests to run. */
class Connected {
  static readonly #free: Connected[] = []
  readonly dir = mkdtempSync(join(scratch, 'watchword-test-'))
  readonly file = join(this.dir, 'watchword.db')
  /** Connections that no store uses. */
  readonly #idle = { create: [] as File[], readonly: [] as File[] }
  #inUse = 0
  #isRemoved = false
  /** An operator's own connection. */
  readonly beside: File
  readonly #clear: () => void

  private constructor() {
    layOutAt(this.file)
    this.beside = new File(this.file)
    this.beside.run('PRAGMA secure_delete = ON')
    this.#clear = clearing(this.beside)
  }

  static find(): Connected {
    const free = Connected.#free.pop()
    if (!free) return new Connected()
    free.#clear()
    return free
  }

  readonly connect: NonNullable<StoreOptions['connect']> = (file, options) => {
    const idle = this.#idle['create' in options ? 'create' : 'readonly']
    const db = idle.pop() ?? new File(file, { ...options, strict: true })
    this.#inUse++
    const close = () => {
      this.#inUse--
      if (this.#isRemoved) closeForGood(db)
      else idle.push(db)
    }
    return Object.assign(db, { close })
  }

  /** `isKnown`: somebody knows where it is, and may have done anything to it. */
  leave(isKnown: boolean): void {
    // A world whose carrier never answers still has it open.
    if (this.#inUse > 0 || isKnown) this.#remove()
    else Connected.#free.push(this)
  }

  static removeFree(): void {
    for (const free of Connected.#free.splice(0)) free.#remove()
  }

  #remove(): void {
    this.#isRemoved = true
    for (const db of [...this.#idle.create, ...this.#idle.readonly, this.beside]) closeForGood(db)
    rmSync(this.dir, { recursive: true, force: true })
  }
}
atEnd(Connected.removeFree)

/** A store that closes it only gives it back. */
const closeForGood = (db: File) => File.prototype.close.call(db)

/** What came with the migrations stays. */
const KEPT: Readonly<Record<string, string>> = {
  channels: 'false',
  facts: "name NOT IN ('installation', 'migrations')",
}

/** Leaves nothing of what was written, neither in the file nor in the log beside it. */
function clearing(db: File): () => void {
  const tables = db.query("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[]
  // Without a condition SQLite would write pages of tables that are empty, too.
  const deletions = tables.map(({ name }) => db.prepare(`DELETE FROM ${name} WHERE ${KEPT[name] ?? 'true'}`))
  const all = db.transaction(() => {
    for (const deletion of deletions) deletion.run()
  })
  return () => {
    all()
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  }
}

export class ReusedFile extends FilePlace {
  readonly #connected: Connected
  #isKnown = false
  #isRemoved = false

  private constructor(connected: Connected) {
    super(connected.dir)
    this.#connected = connected
  }

  static find(): ReusedFile {
    return new ReusedFile(Connected.find())
  }

  override get dir(): string {
    this.#isKnown = true
    return super.dir
  }

  override async open({ clock, vault, soon }: Opening): Promise<Store> {
    const { file, connect } = this.#connected
    return openStore({ file, clock, vault, connect, ...(soon && { soon }) })
  }

  override query<T>(sql: string, ...parameters: Parameter[]): T[] {
    return this.#connected.beside.query(sql).all(...parameters) as T[]
  }

  override async write(sql: string, ...parameters: Parameter[]): Promise<void> {
    this.#connected.beside.query(sql).run(...parameters)
  }

  /** Once for all worlds that are there. */
  override async remove(): Promise<void> {
    if (this.#isRemoved) return
    this.#isRemoved = true
    this.#connected.leave(this.#isKnown)
  }
}
