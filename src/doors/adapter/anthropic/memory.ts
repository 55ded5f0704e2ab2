// `daybook/anthropic`: handlers of Anthropic's memory tool over a book. Each file of the tool is a document of the
// book. So files have a history and sync, and recall finds them.
import type { MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory'
import { type DaybookError, isDaybookError } from '../../../core/errors.ts'
import { adapterError } from '../adapter-error.ts'
import {
  type MemoryBook,
  type MemoryDocument,
  MemoryFiles,
  type PlannedChange,
  textOf,
  type MemoryPath,
  parsePath,
} from './memory-files.ts'
import { directoryText, fileText, insertedText, replacedText, shownFile } from './memory-text.ts'

export type { MemoryBook } from './memory-files.ts'

export interface MemoryOptions {
  /**
   * The folder of documents behind /memories. Default: `memories`. Use one folder per user to separate their
   * memories.
   */
  readonly folder?: string
}

/** The handlers of the memory tool, and `undo` for a person. */
export type DaybookMemory = {
  readonly [Command in keyof MemoryToolHandlers]: (
    command: Parameters<MemoryToolHandlers[Command]>[0],
  ) => Promise<string>
} & {
  /**
   * Undoes the last change of these handlers. False: there is no change to undo. Rejects with `conflict` if the same
   * files changed since.
   */
  undo(): Promise<boolean>
}

const notFoundError = (path: MemoryPath, more: string): DaybookError =>
  adapterError('not-found', `The path ${path.text} does not exist${more}`, { path: 'path' })
const providePathHint = '. Please provide a valid path.'

/**
 * Returns handlers for `betaMemoryTool(…)` of `@anthropic-ai/sdk/helpers/beta/memory`, or for another runner of the
 * tool `memory_20250818`. A handler rejects with a `DaybookError` whose message is the one that models know.
 */
export function daybookMemory(book: MemoryBook, { folder = 'memories' }: MemoryOptions = {}): DaybookMemory {
  const files = new MemoryFiles(book, folder)
  const commands = new MemoryCommands(files)
  return {
    view: (command) => commands.view(command),
    create: (command) => commands.create(command),
    str_replace: (command) => commands.replace(command),
    insert: (command) => commands.insert(command),
    delete: (command) => commands.delete(command),
    rename: (command) => commands.rename(command),
    undo: () => files.undo(),
  }
}

type Command<Name extends keyof MemoryToolHandlers> = Parameters<MemoryToolHandlers[Name]>[0]

class MemoryCommands {
  readonly #files: MemoryFiles

  constructor(files: MemoryFiles) {
    this.#files = files
  }

  async view({ path: pathText, view_range }: Command<'view'>): Promise<string> {
    const path = parsePath(pathText)
    const file = await this.#files.read(path)
    if (file) return fileText(path.text, textOf(file), view_range)
    const found = await this.#files.listBelow(path)
    // /memories itself always exists: without files it is an empty directory.
    if (found.length === 0 && path.segments.length > 0) throw notFoundError(path, providePathHint)
    return directoryText(
      path.text,
      found.map((one) => this.#files.toListedFile(path, one)),
    )
  }

  async create({ path: name, file_text }: Command<'create'>): Promise<string> {
    const files = this.#files
    const path = parsePath(name)
    const text = requireText(file_text, 'file_text')
    const existsError = () => adapterError('conflict', `File ${path.text} already exists`, { path: 'path' })
    return this.#change(path, async () => {
      if (path.segments.length === 0 || (await files.read(path))) throw existsError()
      await this.#assertNoFileAbove(path)
      if ((await files.listBelow(path)).length > 0) throw existsError()
      // `ifMatch` null: the document must not exist. An etag: it must be unchanged.
      const change = { ...files.documentName(path), value: { text }, ifMatch: null }
      return { changes: [{ change }], answer: `File created successfully at: ${path.text}` }
    })
  }

  async replace({ path: pathText, old_str, new_str }: Command<'str_replace'>): Promise<string> {
    const path = parsePath(pathText)
    const old = requireText(old_str, 'old_str')
    const next = requireText(new_str ?? '', 'new_str')
    return this.#edit(path, (text) => {
      // Models quote a file as `view` showed it, without invisible characters.
      const searchedText = text.includes(old) ? text : shownFile(text)
      return replacedText(path.text, searchedText, old, next)
    })
  }

  async insert({ path: pathText, insert_line, insert_text }: Command<'insert'>): Promise<string> {
    const path = parsePath(pathText)
    const inserted = requireText(insert_text, 'insert_text')
    return this.#edit(path, (text) => {
      const answer = `The file ${path.text} has been edited.`
      return { text: insertedText(text, insert_line, inserted), answer }
    })
  }

  async delete({ path: pathText }: Command<'delete'>): Promise<string> {
    const path = parsePath(pathText)
    if (path.segments.length === 0)
      throw adapterError('invalid-input', 'Cannot delete the /memories directory itself', { path: 'path' })
    return this.#files.change(async () => {
      const found = await this.#documentsAt(path)
      if (found.length === 0) throw notFoundError(path, '')
      const changes = found.map((before): PlannedChange => {
        const { folder, key, etag } = before
        return { change: { folder, key, value: null, ifMatch: etag }, before }
      })
      return { changes, answer: `Successfully deleted ${path.text}` }
    })
  }

  async rename({ old_path, new_path }: Command<'rename'>): Promise<string> {
    const from = parsePath(old_path, 'old_path')
    const to = parsePath(new_path, 'new_path')
    if (from.segments.length === 0) {
      throw adapterError('invalid-input', 'Cannot rename the /memories directory itself', {
        path: 'old_path',
      })
    }
    return this.#files.change(async () => {
      if (to.segments.length === 0 || (await this.#documentsAt(to)).length > 0) {
        throw adapterError('conflict', `The destination ${to.text} already exists`, { path: 'new_path' })
      }
      const found = await this.#documentsAt(from)
      if (found.length === 0) throw notFoundError(from, '')
      const isInside = from.segments.every((segment, i) => to.segments[i] === segment)
      if (isInside) {
        throw adapterError('invalid-input', `Cannot rename ${from.text} into itself`, { path: 'new_path' })
      }
      await this.#assertNoFileAbove(to)
      const answer = `Successfully renamed ${from.text} to ${to.text}`
      return { changes: this.#moveChanges(found, from, to), answer }
    })
  }

  /** Edits one file. `work` gets the current text, and returns the new text and the answer of the tool. */
  #edit(path: MemoryPath, work: (text: string) => { text: string; answer: string }): Promise<string> {
    return this.#change(path, async () => {
      const before = await this.#requireFile(path)
      const { text, answer } = work(textOf(before))
      const change = { ...this.#files.documentName(path), value: { text }, ifMatch: before.etag }
      return { changes: [{ change, before }], answer }
    })
  }

  /**
   * Changes one file; `plan` runs again after a concurrent change. Throws `too-large` with the tool's own
   * message if the file becomes too large.
   */
  async #change(
    path: MemoryPath,
    plan: () => Promise<{ changes: PlannedChange[]; answer: string }>,
  ): Promise<string> {
    try {
      return await this.#files.change<string>(plan)
    } catch (error) {
      if (!isDaybookError(error, 'too-large')) throw error
      const { limitBytes } = error.details
      const message = `File ${path.text} is too large. Maximum is ${Number(limitBytes).toLocaleString('en-US')} bytes.`
      throw adapterError('too-large', message, { path: 'path', limitBytes })
    }
  }

  /** Returns the file at `path`. Throws `not-found` without a file or folder, `invalid-input` for a folder. */
  async #requireFile(path: MemoryPath): Promise<MemoryDocument> {
    const found = await this.#files.read(path)
    if (found) return found
    const isFolder = path.segments.length === 0 || (await this.#files.listBelow(path)).length > 0
    if (!isFolder) throw notFoundError(path, providePathHint)
    throw adapterError('invalid-input', `The path ${path.text} is not a file.`, { path: 'path' })
  }

  async #assertNoFileAbove(path: MemoryPath): Promise<void> {
    const above = await this.#files.fileAbove(path)
    if (above === undefined) return
    throw adapterError('conflict', `The path ${above} is a file, not a directory.`, { path: 'path' })
  }

  /** Returns the documents of a path: the file itself, or all files below the folder. */
  async #documentsAt(path: MemoryPath): Promise<MemoryDocument[]> {
    const file = await this.#files.read(path)
    return file ? [file] : this.#files.listBelow(path)
  }

  #moveChanges(found: readonly MemoryDocument[], from: MemoryPath, to: MemoryPath): PlannedChange[] {
    const files = this.#files
    const { folder: oldFolder, key: oldKey } = files.documentName(from)
    const isFile = (one: MemoryDocument) => one.folder === oldFolder && one.key === oldKey
    return found.flatMap((before): PlannedChange[] => {
      const { folder, key, value, etag } = before
      const target = isFile(before)
        ? files.documentName(to)
        : { folder: files.folder(to) + folder.slice(files.folder(from).length), key }
      return [
        { change: { folder, key, value: null, ifMatch: etag }, before },
        { change: { ...target, value, ifMatch: null } },
      ]
    })
  }
}

/** Returns a text parameter from the model. Throws `invalid-input` for another type. */
function requireText(value: unknown, field: string): string {
  if (typeof value === 'string') return value
  throw adapterError('invalid-input', `The parameter \`${field}\` must be a text.`, { path: field })
}
