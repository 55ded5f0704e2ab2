// Writes changes of a collection to the book, with the verbs of the kind.
// Invariant: an update writes only the changed fields over the book's current record. Changes of a program's own rows
// are written all or none.
import type { CapabilityInput } from '../../../book/daybook.ts'
import { defined } from '../../../core/defined.ts'
import { isDaybookError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { bodyOf, headFields } from '../../../core/record.ts'
import { adapterError } from '../adapter-error.ts'
import { fieldsToJson } from '../foreign-value.ts'
import { type CollectionBook, documentKeyOf, type FoundRecord, type RowKey } from './row-source.ts'

/** A change as TanStack DB gives it: the row before and after, and the changed fields. */
export interface RowChange {
  readonly type: 'insert' | 'update' | 'delete'
  readonly key: RowKey
  readonly original: object
  readonly modified: object
  readonly changes: object
}

/** Writes `changes`. Adds the id of each written record to `written`, also if a later change fails. */
export type RowWriter = (changes: readonly RowChange[], written: Set<string>) => Promise<void>

/**
 * `ifMatch`: the etag that the document must have; null: it must not exist. `value` null removes the
 * document.
 */
type DocumentChange = CapabilityInput<'document:write'>['changes'][number]

/** Maximum retries of an update after concurrent changes. */
const maxRetries = 100

const noRowError = (key: RowKey) =>
  adapterError('not-found', `There is no row \`${key}\` any more.`, { path: 'key' })

/** Returns a writer of a program's own rows in `folder`. `recalled`: recall finds new rows. */
export function documentWriter(
  { documents }: Pick<CollectionBook, 'documents'>,
  folder: string,
  recalled: boolean,
): RowWriter {
  const toDocumentChange = async ({ type, key, modified, changes }: RowChange): Promise<DocumentChange> => {
    const name = { folder, key: documentKeyOf(key) }
    if (type === 'delete') return { ...name, value: null }
    if (type === 'insert') {
      return {
        ...name,
        value: fieldsToJson(modified, { strict: true }) as DocumentChange['value'],
        recalled,
        ifMatch: null,
      }
    }
    const before = await documents.read(name)
    if (!before) throw noRowError(key)
    const changed = fieldsToJson(changes, { strict: true })
    const unchanged = Object.entries(before.value).filter(([field]) => !Object.hasOwn(changes, field))
    const value = { ...Object.fromEntries(unchanged), ...changed }
    return { ...name, value: value as DocumentChange['value'], ifMatch: before.etag }
  }
  return async (changes, written) => {
    // An inserted row that exists conflicts in every attempt: don't retry.
    const readsBeforeWrite = changes.some(({ type }) => type === 'update')
    const insertsNothing = changes.every(({ type }) => type !== 'insert')
    for (let retries = readsBeforeWrite && insertsNothing ? maxRetries : 0; ; retries--) {
      const documentChanges: DocumentChange[] = []
      for (const one of changes) documentChanges.push(await toDocumentChange(one))
      try {
        const answer = await documents.write({ changes: documentChanges })
        for (const { id } of answer.written) written.add(id)
        return
      } catch (error) {
        if (!isDaybookError(error, 'conflict') || retries === 0) throw error
      }
    }
  }
}

type WritableKind = 'trace' | 'perception' | 'fact' | 'skill'

/** True for a kind that a collection can change; other kinds are read-only. */
export function isWritable(kind: string): kind is WritableKind {
  return ['trace', 'perception', 'fact', 'skill'].includes(kind)
}

/**
 * Returns a writer of records of `kind`. It inserts first, then updates and deletes, one record after another: if the
 * book refuses a change, the earlier changes stay. New traces are stored together.
 */
export function recordWriter(book: CollectionBook, kind: WritableKind): RowWriter {
  const verbs = recordVerbs(book)[kind]
  return async (changes, written) => {
    const inserted = changes.filter(({ type }) => type === 'insert')
    if (inserted.length > 0) {
      const rows = inserted.map(({ key, modified }) => toVerbInput(modified, kind, key))
      for (const id of await verbs.insert(rows)) written.add(id)
    }
    for (const { type, key, original, changes: fields } of changes) {
      if (type === 'insert') continue
      const id = kind === 'skill' ? String((original as JsonObject)['id']) : String(key)
      const before = await book.records.get({ id })
      if (type === 'update') {
        if (before?.kind !== kind) throw noRowError(key)
        assertNoHeadField(fields)
        await verbs.update(before, fields as JsonObject)
      } else if (before) await book.records.forget({ id })
      written.add(id)
    }
  }
}

interface RecordVerbs {
  insert(rows: readonly JsonObject[]): Promise<readonly string[]>
  update(before: FoundRecord, changes: JsonObject): Promise<unknown>
}

function recordVerbs({ traces, perceptions, facts, skills, records }: CollectionBook) {
  /** Stores rows one after another, and returns their ids. */
  const oneByOne =
    (store: (row: never) => Promise<{ readonly id: string }>) => async (rows: readonly JsonObject[]) => {
      const ids: string[] = []
      for (const row of rows) ids.push((await store(row as never)).id)
      return ids
    }
  return {
    trace: {
      insert: async (rows) => (await traces.storeMany({ traces: rows as never })).ids,
      update: (before, changes) =>
        traces.store({ ...mergedBody(before, changes), id: before.id, replace: true } as never),
    },
    perception: {
      insert: oneByOne((row) => perceptions.store(row)),
      update({ id }, changes) {
        // Null removes a field.
        const updates = Object.entries(changes).map(([name, value]) => [name, value ?? null])
        return perceptions.update({ id, updates: Object.fromEntries(updates) })
      },
    },
    fact: {
      insert: oneByOne(async (row: never) => {
        const { id } = row as { readonly id: string }
        if (await records.get({ id })) {
          throw adapterError('conflict', `There is a record \`${id}\` already.`, { path: 'id', id })
        }
        return facts.store(row)
      }),
      update(before, changes) {
        // The book sets the version of the schema.
        const { schema_version: _version, ...fields } = mergedBody(before, changes)
        return facts.store({ ...fields, id: before.id } as never)
      },
    },
    skill: {
      insert: oneByOne((row) => skills.store(row)),
      update(before, changes) {
        // The book updates the maturity itself: write only a changed one.
        const { maturity: _maturity, ...fields } = mergedBody(before, changes)
        const { maturity } = changes
        const changedMaturity = defined({ maturity })
        return skills.store({ ...fields, ...changedMaturity, replace: true } as never)
      },
    },
  } satisfies Record<WritableKind, RecordVerbs>
}

/** The body with the changes. A field that changed to undefined is removed. */
function mergedBody(before: FoundRecord, changes: JsonObject): JsonObject {
  const all = Object.entries({ ...bodyOf(before), ...changes })
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}

/** Head fields that a new record may set. The book sets the other head fields. */
const scopeFields = ['agent', 'session', 'resource', 'sensitivity'] as const

function toVerbInput(row: object, kind: WritableKind, key: RowKey): JsonObject {
  const scope = scopeFields.flatMap((name) => {
    const value = (row as JsonObject)[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const id = kind === 'skill' ? {} : { id: String(key) }
  return { ...bodyOf(row), ...Object.fromEntries(scope), ...id }
}

function assertNoHeadField(changes: object): void {
  const head = Object.keys(changes).find((name) => (headFields as readonly string[]).includes(name))
  if (head === undefined) return
  const message = `\`${head}\` belongs to the head of a record, which the book writes.`
  throw adapterError('invalid-input', message, { path: `changes.${head}` })
}
