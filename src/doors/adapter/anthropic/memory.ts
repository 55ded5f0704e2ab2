// `daybook/anthropic`: the handlers of Anthropic's memory tool over a book. Its six commands work on /memories, which are
// documents of the book: so they have a history, are found by recall, and sync.
import type { MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory'
import { type DaybookError, isDaybookError } from '../../../core/errors.ts'
import { adapterError } from '../adapter-error.ts'
import { type MemoryBook, MemoryFiles, type PlannedChange, textOf } from './memory-files.ts'
import { type MemoryPath, readPath } from './memory-path.ts'
import { directoryText, fileText, insertedText, replacedText, shownFile } from './memory-text.ts'

export type { MemoryBook } from './memory-files.ts'

export interface MemoryOptions {
  /** The folder of documents that /memories is; default `memories`. One for each user whose memories are their own. */
  readonly folder?: string
}

/** The handlers of the memory tool, and what a person may want to do about them. */
export type DaybookMemory = {
  readonly [Command in keyof MemoryToolHandlers]: (
    command: Parameters<MemoryToolHandlers[Command]>[0],
  ) => Promise<string>
} & {
  /**
   * Takes back the last change that was made through these handlers. False: there was none. Rejects with `conflict` when the
   * same files were changed since.
   */
  undo(): Promise<boolean>
}

const notThere = (path: MemoryPath, more: string): DaybookError =>
  adapterError('not-found', `The path ${path.said} does not exist${more}`, { path: 'path' })
const provide = '. Please provide a valid path.'

/**
 * Handlers for `betaMemoryTool(…)` of `@anthropic-ai/sdk/helpers/beta/memory`, and for every other runner of the
 * `memory_20250818` tool. Every refusal is a `DaybookError` whose message is the one that models know.
 */
export function daybookMemory(book: MemoryBook, { folder = 'memories' }: MemoryOptions = {}): DaybookMemory {
  const files = new MemoryFiles(book, folder)

  /** A file, or the refusal of what is none. */
  const need = async (path: MemoryPath) => {
    const found = await files.read(path)
    if (found) return found
    const isFolder = path.segments.length === 0 || (await files.below(path)).length > 0
    if (!isFolder) throw notThere(path, provide)
    throw adapterError('invalid-input', `The path ${path.said} is not a file.`, { path: 'path' })
  }

  /** Changes one file, and says in the words of the tool when it would be larger than a file may be. */
  const changed: (
    path: MemoryPath,
    plan: Parameters<typeof files.change<string>>[0],
  ) => Promise<string> = async (path, plan) => {
    try {
      return await files.change(plan)
    } catch (error) {
      if (!isDaybookError(error, 'too-large')) throw error
      const { limitBytes } = error.details
      const message = `File ${path.said} is too large. Maximum is ${Number(limitBytes).toLocaleString('en-US')} bytes.`
      throw adapterError('too-large', message, { path: 'path', limitBytes })
    }
  }

  /** Edits one file: `edit` says its new text and what is answered. */
  const edit = (path: MemoryPath, work: (text: string) => { text: string; answer: string }) =>
    changed(path, async () => {
      const before = await need(path)
      const { text, answer } = work(textOf(before))
      const change = { ...files.name(path), value: { text }, if_match: before.etag }
      return { changes: [{ change, before }], answer }
    })

  const checkAbove = async (path: MemoryPath) => {
    const above = await files.fileAbove(path)
    if (above === undefined) return
    throw adapterError('conflict', `The path ${above} is a file, not a directory.`, { path: 'path' })
  }

  /** The documents that a path stands for: a file, or all files of a folder. */
  const all = async (path: MemoryPath) => {
    const file = await files.read(path)
    return file ? [file] : files.below(path)
  }

  return {
    async view({ path: said, view_range }) {
      const path = readPath(said)
      const file = await files.read(path)
      if (file) return fileText(path.said, textOf(file), view_range)
      const found = await files.below(path)
      // Before anything is remembered there is an empty directory.
      if (found.length === 0 && path.segments.length > 0) throw notThere(path, provide)
      return directoryText(
        path.said,
        found.map((one) => files.listed(path, one)),
      )
    },

    async create({ path: said, file_text }) {
      const path = readPath(said)
      const text = textInput(file_text, 'file_text')
      const exists = () => adapterError('conflict', `File ${path.said} already exists`, { path: 'path' })
      return await changed(path, async () => {
        if (path.segments.length === 0 || (await files.read(path))) throw exists()
        await checkAbove(path)
        if ((await files.below(path)).length > 0) throw exists()
        const change = { ...files.name(path), value: { text }, if_match: null }
        return { changes: [{ change }], answer: `File created successfully at: ${path.said}` }
      })
    },

    async str_replace({ path: said, old_str, new_str }) {
      const path = readPath(said)
      const old = textInput(old_str, 'old_str')
      const next = textInput(new_str ?? '', 'new_str')
      return await edit(path, (text) => {
        // A model quotes a file as it was shown to it.
        const shown = text.includes(old) ? text : shownFile(text)
        return replacedText(path.said, shown, old, next)
      })
    },

    async insert({ path: said, insert_line, insert_text }) {
      const path = readPath(said)
      const inserted = textInput(insert_text, 'insert_text')
      return await edit(path, (text) => {
        const answer = `The file ${path.said} has been edited.`
        return { text: insertedText(text, insert_line, inserted), answer }
      })
    },

    async delete({ path: said }) {
      const path = readPath(said)
      if (path.segments.length === 0) {
        throw adapterError('invalid-input', 'Cannot delete the /memories directory itself', { path: 'path' })
      }
      return await files.change(async () => {
        const found = await all(path)
        if (found.length === 0) throw notThere(path, '')
        const changes = found.map((before): PlannedChange => {
          const { folder, key, etag } = before
          return { change: { folder, key, value: null, if_match: etag }, before }
        })
        return { changes, answer: `Successfully deleted ${path.said}` }
      })
    },

    async rename({ old_path, new_path }) {
      const from = readPath(old_path, 'old_path')
      const to = readPath(new_path, 'new_path')
      if (from.segments.length === 0) {
        throw adapterError('invalid-input', 'Cannot rename the /memories directory itself', {
          path: 'old_path',
        })
      }
      return await files.change(async () => {
        if (to.segments.length === 0 || (await all(to)).length > 0) {
          throw adapterError('conflict', `The destination ${to.said} already exists`, { path: 'new_path' })
        }
        const found = await all(from)
        if (found.length === 0) throw notThere(from, '')
        const isInside = from.segments.every((segment, i) => to.segments[i] === segment)
        if (isInside) {
          throw adapterError('invalid-input', `Cannot rename ${from.said} into itself`, { path: 'new_path' })
        }
        await checkAbove(to)
        return { changes: moved(found, from, to), answer: `Successfully renamed ${from.said} to ${to.said}` }
      })
    },

    undo: () => files.undo(),
  }

  function moved(found: Awaited<ReturnType<typeof all>>, from: MemoryPath, to: MemoryPath): PlannedChange[] {
    const { folder: oldFolder, key: oldKey } = files.name(from)
    const isFile = (one: (typeof found)[number]) => one.folder === oldFolder && one.key === oldKey
    return found.flatMap((before): PlannedChange[] => {
      const { folder, key, value, etag } = before
      const target = isFile(before)
        ? files.name(to)
        : { folder: files.folder(to) + folder.slice(files.folder(from).length), key }
      return [
        { change: { folder, key, value: null, if_match: etag }, before },
        { change: { ...target, value, if_match: null } },
      ]
    })
  }
}

/** A text as the model gave it; what is none is refused before anything is looked at. */
function textInput(given: unknown, field: string): string {
  if (typeof given === 'string') return given
  throw adapterError('invalid-input', `The parameter \`${field}\` must be a text.`, { path: field })
}
