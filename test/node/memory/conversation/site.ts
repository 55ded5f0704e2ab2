// One copy of a book in a test: a device or a mirror, with all that its tables say.
import { bookTable } from '../../../../src/book/book-table.ts'
import { createDaybook, type Daybook } from '../../../../src/book/daybook.ts'
import type { Ports, SqlDatabase } from '../../../../src/core/ports.ts'
import { createLocalDoor } from '../../../../src/doors/local-door.ts'
import { capabilityTable, kinds } from '../../../../src/engine/capability-table.ts'
import { createEngine, type Engine, type EngineOptions } from '../../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'

export const memory = () => openNodeDatabase({ path: ':memory:' })
/** Survives the engine over it. */
export const lasting = (db: SqlDatabase): SqlDatabase => ({ ...db, close: () => undefined })

export interface Site {
  readonly book: Daybook
  readonly engine: Engine
  /** Everything that the tables say, but for the words of the text index. */
  text(): string
  /** The names of the tables that say `word`. */
  saying(word: string): string[]
}

const open: Daybook[] = []

/** Closes what `openSite` has opened. */
export async function closeSites(): Promise<void> {
  for (const book of open.splice(0)) await book.close()
}

export function openSite(ports: Ports, options: Partial<EngineOptions> = {}): Site {
  const engine = createEngine({
    db: memory(),
    ports,
    name: 'shared',
    scope: { agent: 'a' },
    durability: 'memory',
    openMemory: memory,
    ...options,
  })
  const book = createDaybook(
    createLocalDoor(engine, ports.scheduler),
    bookTable(capabilityTable, kinds),
    globalThis,
  )
  open.push(book)
  const { db } = engine.store
  return {
    book,
    engine,
    text: () =>
      textsOf(db)
        .map(([, text]) => text)
        .join(),
    saying: (word) => textsOf(db).flatMap(([name, text]) => (text.includes(word) ? name : [])),
  }
}

/** Each table with what it says. */
function textsOf(db: SqlDatabase): (readonly [name: string, text: string])[] {
  const tables = db.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
  return tables
    .filter(({ name }) => !name.startsWith('text_'))
    .map(({ name }) => [
      name,
      JSON.stringify(db.all(`SELECT * FROM "${name}"`), (_key, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
      ),
    ])
}
