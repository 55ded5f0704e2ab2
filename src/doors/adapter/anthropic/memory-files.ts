// The files of a memory tool as documents of a book: /memories/a/b.md is the document `b.md` in the folder `memories/a/`.
// Invariant: an edit is made of what stands in the file at that moment, also when two processes edit one file.
import type { CapabilityInput, CapabilityOutput, Daybook } from '../../../book/daybook.ts'
import { isDaybookError } from '../../../core/errors.ts'
import type { ListedFile } from './memory-text.ts'
import type { MemoryPath } from './memory-path.ts'

type Change = CapabilityInput<'document:write'>['changes'][number]
export type MemoryDocument = NonNullable<CapabilityOutput<'document:read'>>

/** What is wanted of a book: any handle of one has it. */
export type MemoryBook = Pick<Daybook, 'documents'>

/** How often an edit is made again because somebody else came first: each time, somebody else got on. */
const tries = 100

export class MemoryFiles {
  readonly #book: MemoryBook
  readonly #folder: string
  #undo: Change[] | undefined

  constructor(book: MemoryBook, folder: string) {
    this.#book = book
    this.#folder = `${folder.replaceAll(/^\/+|\/+$/g, '')}/`
  }

  /** The name of the document of a file. */
  name({ segments }: Pick<MemoryPath, 'segments'>) {
    return { folder: this.folder({ segments: segments.slice(0, -1) }), key: segments.at(-1) ?? '' }
  }

  folder({ segments }: Pick<MemoryPath, 'segments'>): string {
    return segments.reduce((folder, segment) => `${folder}${segment}/`, this.#folder)
  }

  async read(path: Pick<MemoryPath, 'segments'>): Promise<MemoryDocument | undefined> {
    if (path.segments.length === 0) return undefined
    return (await this.#book.documents.read(this.name(path))) ?? undefined
  }

  /** The files below a folder; none: there is no such folder. */
  async below(path: Pick<MemoryPath, 'segments'>): Promise<MemoryDocument[]> {
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

  /** The path and text of a document, from the folder that is viewed. */
  listed(path: Pick<MemoryPath, 'segments'>, document: MemoryDocument): ListedFile {
    const between = document.folder.slice(this.folder(path).length).split('/').slice(0, -1)
    return { path: [...between, document.key], text: textOf(document) }
  }

  /** The first file that stands where a folder above `path` would have to be. */
  async fileAbove({ segments }: MemoryPath): Promise<string | undefined> {
    for (let length = 1; length < segments.length; length++) {
      const above = segments.slice(0, length)
      if (await this.read({ segments: above })) return `/memories/${above.join('/')}`
    }
    return undefined
  }

  /**
   * Writes what `plan` says, which is asked again when something changed between its look at the files and the write. What
   * it throws is thrown; nothing is written then.
   */
  async change<Answer>(plan: () => Promise<{ changes: PlannedChange[]; answer: Answer }>): Promise<Answer> {
    for (let left = tries; ; left--) {
      const { changes, answer } = await plan()
      try {
        const { written } = await this.#book.documents.write({ changes: changes.map(({ change }) => change) })
        this.#undo = changes.map(({ change, before }, i) => {
          return {
            folder: change.folder,
            key: change.key,
            value: before?.value ?? null,
            if_match: written[i]?.etag ?? null,
          } as Change
        })
        return answer
      } catch (error) {
        if (!isDaybookError(error, 'conflict') || left === 0) throw error
      }
    }
  }

  /** Takes back the last change made here; false when there is none, `conflict` when the files were changed since. */
  async undo(): Promise<boolean> {
    const changes = this.#undo
    if (!changes) return false
    await this.#book.documents.write({ changes })
    this.#undo = undefined
    return true
  }
}

export interface PlannedChange {
  readonly change: Change
  readonly before?: MemoryDocument | undefined
}

/** What a file holds; nothing for a document that something else put there. */
export function textOf({ value }: Pick<MemoryDocument, 'value'>): string {
  const { text } = value
  return typeof text === 'string' ? text : JSON.stringify(value)
}
