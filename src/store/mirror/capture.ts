// Finds out what a piece of work changes in the copy of a book, and undoes it: the change comes back once it is final.
// Invariant: after `run` the copy is as before, unless the work changed nothing that others must know of.
// Temporary tables and triggers leave no trace in the copy, and every host that keeps copies has them.
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'
import { type Change, quoted, type Relation, relations } from './relation.ts'

export interface Captured<Result> {
  readonly result: Result
  /** What is to be made final, and then taken in; empty when there is nothing. */
  readonly changes: readonly Change[]
}

export interface Capture {
  /** Runs `work` in a transaction. */
  run<Result>(work: () => Result): Captured<Result>
  /** Runs `work`, whose changes are known already, in a transaction. */
  silently(work: () => void): void
}

/** Begins to watch the tables of `db`, which is migrated. */
export function createCapture(db: SqlDatabase): Capture {
  db.exec(`CREATE TEMP TABLE dirty (relation TEXT, key TEXT, PRIMARY KEY (relation, key)) WITHOUT ROWID;
    CREATE TEMP TABLE silence (n INTEGER PRIMARY KEY)`)
  for (const relation of relations) for (const trigger of triggersOf(relation)) db.exec(trigger)

  const changeOf = (relation: Relation): Change => {
    const { name, key, columns } = relation
    const same = key.map((column, i) => `t.${quoted(column)} = json_extract(d.key, '$[${i}]')`).join(' AND ')
    const selected = Object.keys(columns).map((column) => `t.${quoted(column)}`)
    const put = db.all(
      `SELECT ${selected.join(', ')} FROM dirty d JOIN ${name} t ON ${same} WHERE d.relation = '${name}'`,
    )
    const gone = db.all<SqlRow & { readonly key: string }>(
      `SELECT d.key FROM dirty d WHERE d.relation = '${name}' AND NOT EXISTS (SELECT 1 FROM ${name} t WHERE ${same})`,
    )
    return { relation, put, gone: gone.map(({ key }) => JSON.parse(key) as SqlValue[]) }
  }

  const readChanges = (): Change[] => {
    const names = new Set(
      db.all<{ relation: string }>('SELECT DISTINCT relation FROM dirty').map((row) => row.relation),
    )
    return relations.filter(({ name }) => names.has(name)).map(changeOf)
  }

  return {
    run<Result>(work: () => Result) {
      let captured: Captured<Result> | undefined
      try {
        db.transaction(() => {
          const result = work()
          const changes = readChanges()
          if (changes.some(({ relation }) => relation.shared)) {
            captured = { result, changes }
            throw undo
          }
          db.run('DELETE FROM dirty')
          captured = { result, changes: [] }
        })
      } catch (error) {
        if (error !== undo) throw error
      }
      return captured as Captured<Result>
    },
    silently(work) {
      db.transaction(() => {
        db.run('INSERT INTO silence (n) VALUES (1)')
        work()
        db.run('DELETE FROM silence')
        db.run('DELETE FROM dirty')
      })
    },
  }
}

/** Thrown to undo a transaction on purpose. */
const undo = new Error('undone on purpose')

/** `OR IGNORE` would not do: an upsert imposes its own way with conflicts on the triggers that it fires. */
function triggersOf({ name, key, only }: Relation): string[] {
  const one = (event: 'INSERT' | 'UPDATE' | 'DELETE', row: 'NEW' | 'OLD') => {
    const keyText = key.map((column) => `${row}.${quoted(column)}`).join(', ')
    const counts = only ? ` AND (${only.replaceAll('row.', `${row}.`)})` : ''
    return `CREATE TEMP TRIGGER note_${name}_${event} AFTER ${event} ON main.${name}
      WHEN NOT EXISTS (SELECT 1 FROM silence)${counts}
      BEGIN INSERT INTO dirty (relation, key) SELECT '${name}', json_array(${keyText})
        WHERE NOT EXISTS (SELECT 1 FROM dirty WHERE relation = '${name}' AND key = json_array(${keyText})); END`
  }
  return [one('INSERT', 'NEW'), one('UPDATE', 'NEW'), one('DELETE', 'OLD')]
}
