// `daybook/claude-agent`: transcripts of Claude's agents in a book, for the option `sessionStore`. An entry is a document whose
// key is its place. Invariant: an entry of a known uuid is there once, whoever sends it again.
import type { CapabilityInput, CapabilityOutput, Daybook } from '../../../book/daybook.ts'
import { isDaybookError } from '../../../core/errors.ts'
import { adapterError } from '../adapter-error.ts'

type Change = CapabilityInput<'document:write'>['changes'][number]
type Document = CapabilityOutput<'document:list'>['documents'][number]

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

/** How far a transcript is, as far as this handle knows. */
interface Reached {
  next: number
  readonly uuids: Set<string>
}

export function daybookSessions({ documents }: Pick<Daybook, 'documents'>): DaybookSessions {
  const reached = new Map<string, Reached>()

  const all = async (folder: string): Promise<Document[]> => {
    const found: Document[] = []
    let cursor: string | undefined
    do {
      const asked = { folder, limit: 1000, ...(cursor === undefined ? {} : { cursor }) }
      const page: CapabilityOutput<'document:list'> = await documents.list(asked)
      found.push(...page.documents)
      cursor = page.cursor
    } while (cursor !== undefined)
    return found.sort((one, other) => (one.key < other.key ? -1 : 1))
  }

  const look = async (folder: string): Promise<Reached> => {
    const found = await all(folder)
    const uuids = found.flatMap((one) => uuidOf(entryOf(one)) ?? [])
    const now = { next: found.length === 0 ? 0 : Number(found.at(-1)?.key) + 1, uuids: new Set(uuids) }
    reached.set(folder, now)
    return now
  }

  return {
    async append(key, entries) {
      const folder = folderOf(key)
      const given = entries.map(jsonOf)
      if (given.length === 0) return
      for (let left = tries; ; left--) {
        const known = reached.get(folder)
        const at = known ?? (await look(folder))
        const uuids = new Set<string>()
        const fresh = given.filter((entry) => {
          const uuid = uuidOf(entry)
          if (uuid === undefined) return true
          if (at.uuids.has(uuid) || uuids.has(uuid)) return false
          uuids.add(uuid)
          return true
        })
        // Somebody else may have deleted meanwhile what this handle knows to be there.
        if (known && fresh.length < given.length) {
          reached.delete(folder)
          continue
        }
        if (fresh.length === 0) return
        try {
          await documents.write({ changes: fresh.map((entry, i) => changeOf(folder, at.next + i, entry)) })
          at.next += fresh.length
          for (const uuid of uuids) at.uuids.add(uuid)
          return
        } catch (error) {
          reached.delete(folder)
          if (!isDaybookError(error, 'conflict') || left === 0) throw error
        }
      }
    },

    async load(key) {
      const found = await all(folderOf(key))
      return found.length === 0 ? null : found.map(entryOf)
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
      const changes = (await all(folder)).map((one) => ({ folder: one.folder, key: one.key, value: null }))
      for (let at = 0; at < changes.length; at += 1000) {
        await documents.write({ changes: changes.slice(at, at + 1000) })
      }
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

function jsonOf(entry: SessionEntry, place: number): SessionEntry {
  const path = `entries.${place}`
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw adapterError('invalid-input', 'An entry of a transcript is an object.', { path })
  }
  try {
    return JSON.parse(JSON.stringify(entry)) as SessionEntry
  } catch (error) {
    throw adapterError('invalid-input', `The entry is no JSON: ${(error as Error).message}`, { path })
  }
}

const uuidOf = ({ uuid }: SessionEntry) => (typeof uuid === 'string' ? uuid : undefined)

const entryOf = ({ value }: Document) => value['entry'] as unknown as SessionEntry

/** What was said is found by recall; what a program notes beside it is not. */
function changeOf(folder: string, place: number, entry: SessionEntry): Change {
  const key = String(place).padStart(placeDigits, '0')
  const recalled = entry.type === 'user' || entry.type === 'assistant'
  return { folder, key, value: { entry } as Change['value'], recalled, if_match: null }
}
