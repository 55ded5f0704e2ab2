// `daybook/claude-agent`: stores transcripts of Claude's agents in a book, for the option `sessionStore`. Each entry
// is a document whose key is the entry's place in the transcript.
// Invariant: an entry with a known uuid is stored once; an entry that can't be stored does not block the other
// entries.
import type { CapabilityInput, Daybook } from '../../book/daybook.ts'
import { type DaybookError, isDaybookError } from '../../core/errors.ts'
import { isJsonObject, type Json } from '../../core/json/path.ts'
import { adapterError } from './adapter-error.ts'
import { valueFromJson, valueToJson } from './foreign-value.ts'
import {
  decodeLabel,
  type DocumentName,
  splitIntoCalls,
  type PartedChange,
  type PartedDocument,
  PartedDocuments,
} from './parted-documents.ts'

/**
 * `ifMatch` null: the document must not exist, else the write fails with `conflict`. `value` null removes it.
 */
type Change = CapabilityInput<'document:write'>['changes'][number]

/** Names a transcript: the main transcript of a session, or with `subpath` a transcript below the session. */
export interface SessionKey {
  readonly projectKey: string
  readonly sessionId: string
  readonly subpath?: string | undefined
}

/** A line of a transcript: a JSON object. */
export interface SessionEntry {
  readonly type: string
  readonly uuid?: string
  readonly [field: string]: unknown
}

/** The SDK's interface of a session store. */
export interface DaybookSessions {
  /**
   * Appends entries. If some can't be stored, stores the other entries and rejects; `details.paths` lists the refused
   * entries.
   */
  append(key: SessionKey, entries: readonly SessionEntry[]): Promise<void>
  /** Returns the entries in order; null if the transcript does not exist. */
  load(key: SessionKey): Promise<SessionEntry[] | null>
  /** Lists the sessions of a project. `mtime`: milliseconds since 1970. */
  listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>
  /** Deletes a transcript; without `subpath`, the whole session. */
  delete(key: SessionKey): Promise<void>
  listSubkeys(key: { readonly projectKey: string; readonly sessionId: string }): Promise<string[]>
}

/** Maximum retries of an append after concurrent changes. */
const maxRetries = 100
/** Places are padded with zeros, so that keys sort as numbers do. */
const positionDigits = 12
const mainFolder = 'main/'
const subFolder = 'sub/'

export interface SessionsOptions {
  /** Called with each document that contains no valid entry; reads skip this document. */
  readonly onSkipped?: (document: DocumentName) => void
}

interface NewEntry {
  /** The path of the entry in the arguments, such as `entries.0`. */
  readonly path: string
  readonly uuid: string | undefined
  readonly json: Json
  readonly recalled: boolean
}

/**
 * The end of a transcript as this object last read or wrote it: the next free place, and the known uuids. If another
 * process has appended since, a write fails with `conflict`, and the tail is read again.
 */
interface TranscriptTail {
  next: number
  readonly uuids: Set<string>
}

export function daybookSessions(
  book: Pick<Daybook, 'documents'>,
  { onSkipped = () => undefined }: SessionsOptions = {},
): DaybookSessions {
  const transcripts = new Transcripts(new PartedDocuments(book.documents), onSkipped)
  return {
    append: async (key, entries) => transcripts.append(folderOf(key), entries),
    load: async (key) => transcripts.load(folderOf(key)),
    listSessions: async (projectKey) => transcripts.listSessions(projectKey),
    delete: async (key) => transcripts.delete(key.subpath === undefined ? sessionFolder(key) : folderOf(key)),
    listSubkeys: async (key) => transcripts.listSubkeys(`${sessionFolder(key)}${subFolder}`),
  }
}

class Transcripts {
  readonly #documents: PartedDocuments
  readonly #onSkipped: (document: DocumentName) => void
  readonly #tails = new Map<string, TranscriptTail>()

  constructor(documents: PartedDocuments, onSkipped: (document: DocumentName) => void) {
    this.#documents = documents
    this.#onSkipped = onSkipped
  }

  async append(folder: string, entries: readonly SessionEntry[]): Promise<void> {
    // By index for entries that are no valid entry, else by `NewEntry`.
    const refused = new Map<unknown, DaybookError>()
    let pending = entries.flatMap((entry, index) => {
      const entryOrError = newEntryOf(entry, index)
      if (!isDaybookError(entryOrError)) return [entryOrError]
      refused.set(index, entryOrError)
      return []
    })
    for (let retriesLeft = maxRetries; pending.length > 0; retriesLeft--) {
      const cached = this.#tails.get(folder)
      const tail = cached ?? (await this.#readTail(folder))
      const uuids = new Set<string>()
      const newEntries = pending.filter(({ uuid }) => {
        if (uuid === undefined) return true
        if (tail.uuids.has(uuid) || uuids.has(uuid)) return false
        uuids.add(uuid)
        return true
      })
      // Another handle may have deleted the entry since: read the transcript again before skipping an entry.
      if (cached && newEntries.length < pending.length) {
        this.#tails.delete(folder)
        continue
      }
      const { written, conflict } = await this.#write(folder, newEntries, {
        end: tail,
        refused: refused as Map<NewEntry, DaybookError>,
      })
      if (!conflict) break
      if (retriesLeft === 0) throw conflict
      pending = pending.filter((one) => !written.has(one) && !refused.has(one))
    }
    throwRefused(refused)
  }

  async load(folder: string): Promise<SessionEntry[] | null> {
    const found = await this.#readAll(folder)
    const entries = found.flatMap((document) => {
      const entry = entryOf(document)
      if (!entry) this.#onSkipped(document)
      return entry ?? []
    })
    return found.length === 0 ? null : entries
  }

  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const root = `claude/${folderName('projectKey', projectKey)}/`
    const mtimes = new Map<string, number>()
    for (const { folder, updated_at } of await this.#readAll(root)) {
      // A session is listed by its main transcript only.
      const [session = '', place] = folder.slice(root.length).split('/')
      if (`${place}/` !== mainFolder) continue
      mtimes.set(session, Math.max(mtimes.get(session) ?? 0, Date.parse(updated_at)))
    }
    return [...mtimes].flatMap(([session, mtime]) => {
      const sessionId = decodeLabel(session)
      return sessionId === undefined ? [] : [{ sessionId, mtime }]
    })
  }

  async delete(folder: string): Promise<void> {
    const changes: PartedChange[] = []
    const toDeletion = ({ folder, key }: DocumentName): PartedChange => ({ folder, key, value: null })
    const list = this.#documents.list({ folder }, (name) => void changes.push(toDeletion(name)))
    for await (const before of list) changes.push({ ...toDeletion(before), before })
    for (let at = 0; at < changes.length; at += 1000)
      await this.#documents.write(changes.slice(at, at + 1000))
    for (const name of this.#tails.keys()) if (name.startsWith(folder)) this.#tails.delete(name)
  }

  async listSubkeys(root: string): Promise<string[]> {
    const names = (await this.#readAll(root)).map(({ folder }) => folder.slice(root.length, -1))
    return [...new Set(names)].flatMap((name) => decodeLabel(name) ?? [])
  }

  async #readAll(folder: string): Promise<PartedDocument[]> {
    const found: PartedDocument[] = []
    for await (const document of this.#documents.list({ folder }, this.#onSkipped)) found.push(document)
    return found.sort((one, other) => (one.key < other.key ? -1 : 1))
  }

  async #readTail(folder: string): Promise<TranscriptTail> {
    const positions: number[] = []
    const uuids = new Set<string>()
    // Also called for documents with a missing part: their places are taken too.
    const notePosition = ({ key }: DocumentName) => void positions.push(Number(key))
    for await (const document of this.#documents.list({ folder }, notePosition)) {
      notePosition(document)
      const uuid = uuidOf(entryOf(document))
      if (uuid !== undefined) uuids.add(uuid)
    }
    const next = positions.reduce((most, place) => (place >= most ? place + 1 : most), 0)
    const tail = { next, uuids }
    this.#tails.set(folder, tail)
    return tail
  }

  /**
   * Writes `newEntries`. Adds entries that can't be stored to `refused`. Returns the written entries, and the
   * `conflict` of a concurrent append.
   */
  async #write(
    folder: string,
    newEntries: readonly NewEntry[],
    { end, refused }: { end: TranscriptTail; refused: Map<NewEntry, DaybookError> },
  ): Promise<{ written: ReadonlySet<NewEntry>; conflict: DaybookError | undefined }> {
    const entriesWithChanges = newEntries.map((entry, i) => ({
      one: entry,
      change: changeOf(folder, end.next + i, entry),
    }))
    const written = new Set<NewEntry>()
    const byChange = new Map(entriesWithChanges.map(({ one, change }) => [change, one]))
    const writeBatch = async (changes: readonly Change[]): Promise<void> => {
      try {
        await this.#documents.write(changes)
      } catch (error) {
        const isInvalid = isDaybookError(error, 'invalid-input') || isDaybookError(error, 'too-large')
        if (!isInvalid) throw error
        // One change of the batch is invalid: write the changes one by one.
        if (changes.length > 1) for (const change of changes) await writeBatch([change])
        else for (const change of changes) refused.set(byChange.get(change) as NewEntry, error)
        return
      }
      for (const change of changes) {
        const entry = byChange.get(change)
        end.next = Math.max(end.next, Number(change.key) + 1)
        if (entry?.uuid !== undefined) end.uuids.add(entry.uuid)
        if (entry) written.add(entry)
      }
    }
    try {
      for (const changes of splitIntoCalls(entriesWithChanges.map(({ change }) => change)))
        await writeBatch(changes)
      return { written, conflict: undefined }
    } catch (error) {
      this.#tails.delete(folder)
      if (!isDaybookError(error, 'conflict')) throw error
      return { written, conflict: error }
    }
  }
}

function sessionFolder({ projectKey, sessionId }: Pick<SessionKey, 'projectKey' | 'sessionId'>): string {
  return `claude/${folderName('projectKey', projectKey)}/${folderName('sessionId', sessionId)}/`
}

function folderOf(key: SessionKey): string {
  const session = sessionFolder(key)
  return key.subpath === undefined
    ? `${session}${mainFolder}`
    : `${session}${subFolder}${folderName('subpath', key.subpath)}/`
}

/**
 * Encodes a name as one segment of a folder, so that a slash does not begin a new folder. Throws `invalid-input` for
 * an empty, too long or ill-formed text.
 */
function folderName(path: keyof SessionKey, name: unknown): string {
  if (typeof name === 'string' && name !== '' && name.length <= 500 && name.isWellFormed()) {
    return encodeURIComponent(name)
  }
  throw adapterError('invalid-input', `\`${path}\` is a text of 1 to 500 characters.`, {
    path: `key.${path}`,
  })
}

/** Returns the entry to store, or the error if the entry can't be stored. */
function newEntryOf(entry: SessionEntry, index: number): NewEntry | DaybookError {
  const path = `entries.${index}`
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    return adapterError('invalid-input', 'An entry of a transcript is an object.', { path })
  }
  try {
    // Recall finds messages only, not the other entries of a program.
    const recalled = entry.type === 'user' || entry.type === 'assistant'
    return { path, uuid: uuidOf(entry), json: valueToJson(entry), recalled }
  } catch (error) {
    return adapterError('invalid-input', `The entry can't be stored: ${(error as Error).message}`, { path })
  }
}

function throwRefused(refused: ReadonlyMap<unknown, DaybookError>): void {
  const [first] = refused.values()
  if (!first) return
  const paths = [...refused].map(([one, error]) =>
    String((one as Partial<NewEntry>).path ?? error.details['path']),
  )
  throw adapterError(first.code, `${first.message} (\`${paths[0]}\`; the other entries are stored.)`, {
    path: paths[0],
    paths,
  })
}

const uuidOf = (entry: SessionEntry | undefined) => (typeof entry?.uuid === 'string' ? entry.uuid : undefined)

/** Returns the entry in a document; undefined if the document contains no object. */
function entryOf({ value }: PartedDocument): SessionEntry | undefined {
  const { entry } = value
  const entryValue = entry === undefined ? undefined : valueFromJson(entry)
  return isJsonObject(entryValue as Json) ? (entryValue as SessionEntry) : undefined
}

function changeOf(folder: string, position: number, { json, recalled }: NewEntry): Change {
  const key = String(position).padStart(positionDigits, '0')
  return { folder, key, value: { entry: json } as Change['value'], recalled, ifMatch: null }
}
