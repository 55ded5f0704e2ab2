// Answer texts of the memory tool, exactly as in the reference implementation, because models were trained on them.
import { shownText } from '../../../core/text/shown-text.ts'
import { utf8Length } from '../../../core/text/utf8.ts'
import { adapterError } from '../adapter-error.ts'

/** Maximum lines of a viewed file. Line numbers are padded to the width of this number. */
const maxLines = 999_999
const numberWidth = String(maxLines).length

/** A file below the viewed folder: its path relative to that folder, and its text. */
export interface ListedFile {
  readonly path: readonly string[]
  readonly text: string
}

/** Formats a size in bytes: `0B`, `13B`, `1.5K`. */
export function sizeText(bytes: number): string {
  if (bytes === 0) return '0B'
  const step = Math.min(3, Math.floor(Math.log(bytes) / Math.log(1024)))
  const size = bytes / 1024 ** step
  return `${size % 1 === 0 ? size : size.toFixed(1)}${'BKMG'[step]}`
}

export function directoryText(directory: string, files: readonly ListedFile[]): string {
  const header = `Here're the files and directories up to 2 levels deep in ${directory}, excluding hidden items and node_modules:`
  const totalBytes = (listedFiles: readonly ListedFile[]) =>
    listedFiles.reduce((bytes, { text }) => bytes + utf8Length(text), 0)
  const lines = [`${sizeText(totalBytes(files))}\t${directory}`]
  const addLines = (filesHere: readonly ListedFile[], depth: number, parentPath: string) => {
    const names = [...new Set(filesHere.map(({ path }) => path[depth] ?? ''))].sort()
    for (const name of names) {
      if (name.startsWith('.') || name === 'node_modules') continue
      const filesOfName = filesHere.filter(({ path }) => path[depth] === name)
      const isDirectory = filesOfName.some(({ path }) => path.length > depth + 1)
      lines.push(
        `${sizeText(totalBytes(filesOfName))}\t${directory}/${shownLine(`${parentPath}${name}`)}${isDirectory ? '/' : ''}`,
      )
      if (isDirectory && depth < 1) addLines(filesOfName, depth + 1, `${parentPath}${name}/`)
    }
  }
  addLines(files, 0, '')
  return `${header}\n${lines.join('\n')}`
}

/** Returns a line as a model sees it: without invisible characters and without a final carriage return. */
const shownLine = (line: string) => shownText(line.replace(/\r$/, ''), ' ')

/** Returns the text of a file as a model sees it. */
export const shownFile = (text: string): string => text.split('\n').map(shownLine).join('\n')

const numberedLines = (lines: readonly string[], first: number) =>
  lines.map((line, i) => `${String(first + i).padStart(numberWidth, ' ')}\t${shownLine(line)}`).join('\n')

/**
 * Returns the numbered lines of a file. `range`: first and last line, counted from 1; last line -1: the end of the
 * file. A range without two numbers is ignored. Throws `too-large` above `maxLines` lines.
 */
export function fileText(name: string, text: string, range: readonly number[] | null | undefined): string {
  const lines = text.split('\n')
  if (lines.length > maxLines) {
    const message = `File ${name} has too many lines (${lines.length}). Maximum is 999,999 lines.`
    throw adapterError('too-large', message, { path: 'path', limit: maxLines })
  }
  const isRange = range?.length === 2
  const start = isRange ? Math.max(1, range[0] ?? 1) - 1 : 0
  const end = isRange && range[1] !== -1 ? range[1] : lines.length
  return `Here's the content of ${name} with line numbers:\n${numberedLines(lines.slice(start, end), start + 1)}`
}

/**
 * Replaces the only occurrence of `old`. Returns the new text, and an answer that quotes the lines around the change.
 * Throws `not-found` without an occurrence, `conflict` with several.
 */
export function replacedText(name: string, text: string, old: string, replacement: string) {
  const positions: number[] = []
  // An empty text would match everywhere: find no place.
  for (
    let position = old === '' ? -1 : text.indexOf(old);
    position !== -1;
    position = text.indexOf(old, position + 1)
  )
    positions.push(position)
  const [position] = positions
  if (position === undefined) {
    const message = `No replacement was performed, old_str \`${old}\` did not appear verbatim in ${name}.`
    throw adapterError('not-found', message, { path: 'old_str' })
  }
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length
  if (positions.length > 1) {
    const lines = [...new Set(positions.map(lineOf))].join(', ')
    const message = `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${lines}. Please ensure it is unique`
    throw adapterError('conflict', message, { path: 'old_str' })
  }
  const replaced = text.slice(0, position) + replacement + text.slice(position + old.length)
  const firstLine = Math.max(0, lineOf(position) - 3)
  const snippet = numberedLines(replaced.split('\n').slice(firstLine, lineOf(position) + 2), firstLine + 1)
  const answer = `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet}`
  return { text: replaced, answer }
}

/** Inserts a text after line `line`. 0: before the first line. Throws `invalid-input` outside the file. */
export function insertedText(text: string, line: number, inserted: string): string {
  const lines = text.split('\n')
  if (!Number.isInteger(line) || line < 0 || line > lines.length) {
    const message = `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`
    throw adapterError('invalid-input', message, { path: 'insert_line' })
  }
  lines.splice(line, 0, inserted.replace(/\n$/, ''))
  return lines.join('\n')
}
