// `daybook/claude-agent`: transcripts of Claude's agents in a book, for the option `sessionStore`. An entry is a document whose
// key is its place. Invariant: an entry of a known uuid is there once, whoever sends it again; what can't be kept keeps no other entry out.
import type { CapabilityInput, Daybook } from '../../../book/daybook.ts'
import { type DaybookError, isDaybookError } from '../../../core/errors.ts'
import { isJsonObject, type Json } from '../../../core/json/path.ts'
import { adapterError } from '../adapter-error.ts'
import { valueFromJson, valueToJson } from '../foreign-value.ts'
import { type DocumentName, inCalls, type PartedDocument, PartedDocuments } from '../parted-documents.ts'

type Change = CapabilityInput<'document:write'>['changes'][number]

/** Which transcript: the main one of a session, or with `subpath` one below it. */
export interface SessionKey {
  readonly projectKey: string
  readonly sessionId: string
  readonly subpath?: string | undefined
}

/** A line of a transcript: JSON, of which this knows no more. */
export interface SessionEntry {
  readonly type: string
  readonly uuid?: string
  readonly [field: string]: unknown
}

/** As the SDK asks for it. */
export interface DaybookSessions {
  /** Rejects when some entries can't be kept, naming them in `details.paths`; the others are kept all the same. */
  append(key: SessionKey, entries: readonly SessionEntry[]): Promise<void>
  /** In the order in which they were appended; null for a transcript that there is not. */
  load(key: SessionKey): Promise<SessionEntry[] | null>
  /** The sessions of a project; `mtime` in milliseconds since 1970. */
  listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>
  /** Without `subpath`, all of the session. */
  delete(key: SessionKey): Promise<void>
  listSubkeys(key: { readonly projectKey: string; readonly sessionId: string }): Promise<string[]>
}

/** How often an append is made again because somebody else came first: each time, somebody else got on. */
const tries = 100
const placeDigits = 12
const main = 'main/'
const below = 'sub/'

export interface SessionsOptions {
  /** Called with what lies in a transcript and can't be read as an entry; it is skipped. */
  readonly onSkipped?: (document: DocumentName) => void
}

/** An entry that is to be appended. */
interface Given {
  /** Where it stood among those that came. */
  readonly path: string
  readonly uuid: string | undefined
  readonly json: Json
  readonly recalled: boolean
}

/** How far a transcript is, as far as this handle knows. */
interface Reached {
  next: number
  readonly uuids: Set<string>
}

export function daybookSessions(
  book: Pick<Daybook, 'documents'>,
  { onSkipped = () => undefined }: SessionsOptions = {},
): DaybookSessions {
  const documents = new PartedDocuments(book.documents)
  const reached = new Map<string, Reached>()

  const all = async (folder: string): Promise<PartedDocument[]> => {
    const found: PartedDocument[] = []
    for await (const one of documents.list({ folder }, onSkipped)) found.push(one)
    return found.sort((one, other) => (one.key < other.key ? -1 : 1))
  }

  const look = async (folder: string): Promise<Reached> => {
    const places: number[] = []
    const uuids = new Set<string>()
    const note = ({ key }: DocumentName) => void places.push(Number(key))
    for await (const one of documents.list({ folder }, note)) {
      note(one)
      const uuid = uuidOf(entryOf(one))
      if (uuid !== undefined) uuids.add(uuid)
    }
    const next = places.reduce((most, place) => (place >= most ? place + 1 : most), 0)
    const now = { next, uuids }
    reached.set(folder, now)
    return now
  }

  /** Writes what of `fresh` can be; notes in `refused` what can't. Rejects with `conflict` when somebody else came first. */
  const write = async (
    folder: string,
    at: Reached,
    fresh: readonly Given[],
    refused: Map<Given, DaybookError>,
  ) => {
    const placed = fresh.map((one, i) => ({ one, change: changeOf(folder, at.next + i, one) }))
    const written = new Set<Given>()
    const byChange = new Map(placed.map(({ one, change }) => [change, one]))
    const put = async (changes: readonly Change[]): Promise<void> => {
      try {
        await documents.write(changes)
      } catch (error) {
        const isTheirs = isDaybookError(error, 'invalid-input') || isDaybookError(error, 'too-large')
        if (!isTheirs) throw error
        // One of them is the cause, and keeps no other out.
        if (changes.length > 1) for (const change of changes) await put([change])
        else for (const change of changes) refused.set(byChange.get(change) as Given, error)
        return
      }
      for (const change of changes) {
        const one = byChange.get(change)
        at.next = Math.max(at.next, Number(change.key) + 1)
        if (one?.uuid !== undefined) at.uuids.add(one.uuid)
        if (one) written.add(one)
      }
    }
    try {
      for (const changes of inCalls(placed.map(({ change }) => change))) await put(changes)
      return { written, conflict: undefined }
    } catch (error) {
      reached.delete(folder)
      if (!isDaybookError(error, 'conflict')) throw error
      return { written, conflict: error }
    }
  }

  return {
    async append(key, entries) {
      const folder = folderOf(key)
      const refused = new Map<unknown, DaybookError>()
      let waiting = entries.flatMap((entry, place) => {
        const one = givenOf(entry, place)
        if (!isDaybookError(one)) return [one]
        refused.set(place, one)
        return []
      })
      for (let left = tries; waiting.length > 0; left--) {
        const known = reached.get(folder)
        const at = known ?? (await look(folder))
        const uuids = new Set<string>()
        const fresh = waiting.filter(({ uuid }) => {
          if (uuid === undefined) return true
          if (at.uuids.has(uuid) || uuids.has(uuid)) return false
          uuids.add(uuid)
          return true
        })
        // Somebody else may have deleted meanwhile what this handle knows to be there.
        if (known && fresh.length < waiting.length) {
          reached.delete(folder)
          continue
        }
        const { written, conflict } = await write(folder, at, fresh, refused as Map<Given, DaybookError>)
        if (!conflict) break
        if (left === 0) throw conflict
        waiting = waiting.filter((one) => !written.has(one) && !refused.has(one))
      }
      throwRefused(refused)
    },

    async load(key) {
      const found = await all(folderOf(key))
      const entries = found.flatMap((one) => {
        const entry = entryOf(one)
        if (!entry) onSkipped(one)
        return entry ?? []
      })
      return found.length === 0 ? null : entries
    },

    async listSessions(projectKey) {
      const root = `${folderName('projectKey', projectKey)}/`
      const mtimes = new Map<string, number>()
      for (const { folder, updated_at } of await all(`claude/${root}`)) {
        const [session = '', place] = folder.slice('claude/'.length + root.length).split('/')
        if (`${place}/` !== main) continue
        mtimes.set(session, Math.max(mtimes.get(session) ?? 0, Date.parse(updated_at)))
      }
      return [...mtimes].map(([session, mtime]) => ({ sessionId: decodeURIComponent(session), mtime }))
    },

    async delete(key) {
      const folder = key.subpath === undefined ? sessionFolder(key) : folderOf(key)
      const changes = (await all(folder)).map((before) => {
        return { folder: before.folder, key: before.key, value: null, before }
      })
      for (let at = 0; at < changes.length; at += 1000) await documents.write(changes.slice(at, at + 1000))
      for (const known of reached.keys()) if (known.startsWith(folder)) reached.delete(known)
    },

    async listSubkeys(key) {
      const root = `${sessionFolder(key)}${below}`
      const names = (await all(root)).map(({ folder }) => folder.slice(root.length, -1))
      return [...new Set(names)].map(decodeURIComponent)
    },
  }
}

function sessionFolder({ projectKey, sessionId }: Pick<SessionKey, 'projectKey' | 'sessionId'>): string {
  return `claude/${folderName('projectKey', projectKey)}/${folderName('sessionId', sessionId)}/`
}

function folderOf(key: SessionKey): string {
  const session = sessionFolder(key)
  return key.subpath === undefined
    ? `${session}${main}`
    : `${session}${below}${folderName('subpath', key.subpath)}/`
}

/** A name as one label of a folder: a slash or dots in it lead nowhere. */
function folderName(path: keyof SessionKey, name: unknown): string {
  if (typeof name === 'string' && name !== '' && name.length <= 500 && name.isWellFormed()) {
    return encodeURIComponent(name)
  }
  throw adapterError('invalid-input', `\`${path}\` is a text of 1 to 500 characters.`, {
    path: `key.${path}`,
  })
}

/** An entry as it is kept, or why it can't be. */
function givenOf(entry: SessionEntry, place: number): Given | DaybookError {
  const path = `entries.${place}`
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    return adapterError('invalid-input', 'An entry of a transcript is an object.', { path })
  }
  try {
    // What was said is found by recall; what a program notes beside it is not.
    const recalled = entry.type === 'user' || entry.type === 'assistant'
    return { path, uuid: uuidOf(entry), json: valueToJson(entry), recalled }
  } catch (error) {
    return adapterError('invalid-input', `The entry can't be kept: ${(error as Error).message}`, { path })
  }
}

function throwRefused(refused: ReadonlyMap<unknown, DaybookError>): void {
  const [first] = refused.values()
  if (!first) return
  const paths = [...refused].map(([one, error]) =>
    String((one as Partial<Given>).path ?? error.details['path']),
  )
  throw adapterError(first.code, `${first.message} (\`${paths[0]}\`; the other entries are kept.)`, {
    path: paths[0],
    paths,
  })
}

const uuidOf = (entry: SessionEntry | undefined) => (typeof entry?.uuid === 'string' ? entry.uuid : undefined)

/** The entry that a document holds; undefined where something else put something else there. */
function entryOf({ value }: PartedDocument): SessionEntry | undefined {
  const { entry } = value
  const read = entry === undefined ? undefined : valueFromJson(entry)
  return isJsonObject(read as Json) ? (read as SessionEntry) : undefined
}

function changeOf(folder: string, place: number, { json, recalled }: Given): Change {
  const key = String(place).padStart(placeDigits, '0')
  return { folder, key, value: { entry: json } as Change['value'], recalled, if_match: null }
}
