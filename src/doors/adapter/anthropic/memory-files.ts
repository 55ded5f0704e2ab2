// Files of the memory tool as documents of a book: /memories/a/b.md is the document `b.md` in the folder
// `memories/a/`.
// Invariant: an edit applies to the current file, also when two processes edit that file. No spelling of a path
// leaves /memories.
import type { CapabilityInput, CapabilityOutput, Daybook } from '../../../book/daybook.ts'
import { isDaybookError } from '../../../core/errors.ts'
import type { ListedFile } from './memory-text.ts'
import { adapterError } from '../adapter-error.ts'

/**
 * `ifMatch`: the etag that the document must have; null: it must not exist. `value` null removes the
 * document.
 */
type Change = CapabilityInput<'document:write'>['changes'][number]
export type MemoryDocument = NonNullable<CapabilityOutput<'document:read'>>

/** The part of a book or handle that the memory tool uses. */
export type MemoryBook = Pick<Daybook, 'documents'>

/** Maximum retries of an edit after concurrent changes. */
const maxRetries = 100

export class MemoryFiles {
  readonly #book: MemoryBook
  readonly #folder: string
  /** The changes that undo the last change. Undefined: there is nothing to undo. */
  #undoChanges: Change[] | undefined

  constructor(book: MemoryBook, folder: string) {
    this.#book = book
    this.#folder = `${folder.replaceAll(/^\/+|\/+$/g, '')}/`
  }

  /** Returns the folder and key of a file's document. */
  documentName({ segments }: Pick<MemoryPath, 'segments'>) {
    return { folder: this.folder({ segments: segments.slice(0, -1) }), key: segments.at(-1) ?? '' }
  }

  folder({ segments }: Pick<MemoryPath, 'segments'>): string {
    return segments.reduce((folder, segment) => `${folder}${segment}/`, this.#folder)
  }

  async read(path: Pick<MemoryPath, 'segments'>): Promise<MemoryDocument | undefined> {
    if (path.segments.length === 0) return undefined
    return (await this.#book.documents.read(this.documentName(path))) ?? undefined
  }

  /** Lists the files in a folder and its subfolders. Empty: the folder does not exist. */
  async listBelow(path: Pick<MemoryPath, 'segments'>): Promise<MemoryDocument[]> {
    const folder = this.folder(path)
    const found: MemoryDocument[] = []
    let cursor: string | undefined
    do {
      const page = await this.#book.documents.list({ folder, limit: 1000, ...(cursor ? { cursor } : {}) })
      found.push(...page.documents)
      cursor = page.cursor
    } while (cursor !== undefined)
    return found
  }

  /** Returns the text of a document, and its path relative to the viewed folder. */
  toListedFile(path: Pick<MemoryPath, 'segments'>, document: MemoryDocument): ListedFile {
    const subfolders = document.folder.slice(this.folder(path).length).split('/').slice(0, -1)
    return { path: [...subfolders, document.key], text: textOf(document) }
  }

  /** Returns the first parent of `path` that is a file; undefined if no parent is a file. */
  async fileAbove({ segments }: MemoryPath): Promise<string | undefined> {
    for (let length = 1; length < segments.length; length++) {
      const above = segments.slice(0, length)
      if (await this.read({ segments: above })) return `/memories/${above.join('/')}`
    }
    return undefined
  }

  /**
   * Writes the changes that `plan` returns, and returns its answer. Calls `plan` again after a `conflict`, up to
   * `maxRetries` times. If `plan` throws, nothing is written.
   */
  async change<Answer>(plan: () => Promise<{ changes: PlannedChange[]; answer: Answer }>): Promise<Answer> {
    for (let retriesLeft = maxRetries; ; retriesLeft--) {
      const { changes, answer } = await plan()
      try {
        const { written } = await this.#book.documents.write({ changes: changes.map(({ change }) => change) })
        // `written` is in the order of `changes`. The etag of a removed document is null.
        this.#undoChanges = changes.map(({ change, before }, i) => {
          return {
            folder: change.folder,
            key: change.key,
            value: before?.value ?? null,
            ifMatch: written[i]?.etag ?? null,
          } as Change
        })
        return answer
      } catch (error) {
        if (!isDaybookError(error, 'conflict') || retriesLeft === 0) throw error
      }
    }
  }

  /** Undoes the last change. False: there is no change to undo. Throws `conflict` if the files changed since. */
  async undo(): Promise<boolean> {
    const changes = this.#undoChanges
    if (!changes) return false
    await this.#book.documents.write({ changes })
    this.#undoChanges = undefined
    return true
  }
}

export interface PlannedChange {
  readonly change: Change
  /** The document before the change, for `undo`. Absent: a new document. */
  readonly before?: MemoryDocument | undefined
}

/** Returns the text of a file. A document without a `text` is returned as JSON. */
export function textOf({ value }: Pick<MemoryDocument, 'value'>): string {
  const { text } = value
  return typeof text === 'string' ? text : JSON.stringify(value)
}

const rootPath = '/memories'

/** A path below /memories. Empty `segments`: /memories itself. */
export interface MemoryPath {
  /** The path as the model wrote it; answers and errors quote it. */
  readonly text: string
  readonly segments: readonly string[]
}

/**
 * Parses a path from the model. Throws `invalid-input` if the path doesn't start with /memories, leads out of
 * /memories or contains a NUL. `field`: the parameter that the error names.
 */
export function parsePath(text: unknown, field = 'path'): MemoryPath {
  if (typeof text !== 'string' || (text !== rootPath && !text.startsWith(`${rootPath}/`))) {
    throw adapterError('invalid-input', `Path must start with /memories, got: ${String(text)}`, {
      path: field,
    })
  }
  const segments = resolveSegments(text.slice(rootPath.length).split('/'))
  const staysWithin = otherReadings(text).every(
    (one) => resolveSegments(one.slice(rootPath.length).split('/')) !== undefined,
  )
  if (segments === undefined || !staysWithin || text.includes('\0')) {
    throw adapterError('invalid-input', `Path ${text} would escape /memories directory`, { path: field })
  }
  return { text, segments }
}

/** Resolves `.` and `..`, and drops empty segments. Undefined: the path leads above the start. */
function resolveSegments(segments: readonly string[]): string[] | undefined {
  const result: string[] = []
  for (const segment of segments) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') result.push(segment)
    else if (result.pop() === undefined) return undefined
  }
  return result
}

/**
 * Returns other readings of a path: percent escapes decoded up to three times, and backslashes as separators. A path
 * that leaves /memories in any reading is refused.
 */
function otherReadings(path: string): string[] {
  const found = [path.replaceAll('\\', '/')]
  for (let text = path, rounds = 0; rounds < 3; rounds++) {
    text = text
      .replaceAll(/%2e/giu, '.')
      .replaceAll(/%2f/giu, '/')
      .replaceAll(/%5c/giu, '/')
      .replaceAll(/%25/gu, '%')
    found.push(text.replaceAll('\\', '/'))
  }
  return found
}
