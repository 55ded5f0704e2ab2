// `daybook export-keys`, `import-keys` and `rotate-keys`: manage the keys that encrypt the sensitive records
// of an agent's memory.
import { Buffer } from 'node:buffer'
import { type Command, type CommandContext, textOf, UsageError } from './command.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { Daybook } from '../../../book/daybook.ts'
import { readInput, readPassphrase } from './input-file.ts'
import { writeAtomically } from './output-file.ts'
import { importOnce } from './staged-book.ts'

const options = { 'passphrase-file': { type: 'string' } } as const
const help = { 'passphrase-file': '<file>  its first line is the passphrase of the key file' }

async function passphraseOf(name: string, { values, signal }: CommandContext): Promise<string> {
  const path = textOf(values, 'passphrase-file')
  if (path === undefined) throw new UsageError(`${name} needs --passphrase-file`)
  return readPassphrase(path, signal)
}

function oneFile(name: string, positionals: readonly string[]): string {
  const [path, ...more] = positionals
  if (!path || more.length > 0) throw new UsageError(`${name} takes one file`)
  return path
}

export const exportKeys: Command = {
  name: 'export-keys',
  summary: 'Writes the keys that encrypt sensitive records to a file, for another device.',
  operands: '<file>',
  options,
  help,
  async run(context) {
    const { positionals, terminal, signal, open } = context
    const path = oneFile('export-keys', positionals)
    const passphrase = await passphraseOf('export-keys', context)
    const book = await open()
    const { text } = await book.seal.exportKeys({ passphrase })
    async function* chunks() {
      yield Buffer.from(text, 'utf8')
    }
    await writeAtomically(path, chunks(), signal)
    terminal.answer({ output: path }, `The keys were written to ${path}. Keep it and its passphrase apart.`)
  },
}

export const importKeys: Command = {
  name: 'import-keys',
  summary: 'Adds keys from a file that another device wrote.',
  operands: '<file>',
  options,
  help,
  async run(context) {
    const { positionals, terminal, signal } = context
    const path = oneFile('import-keys', positionals)
    const passphrase = await passphraseOf('import-keys', context)
    const text = await readInput(path, signal)
    const importInto = (book: Daybook) =>
      book.seal.importKeys({ text, passphrase }).catch((error: unknown) => {
        throw fileFault(path, error)
      })
    const { added, state } = await importOnce(importInto, context)
    terminal.answer(
      { added, unreadable: state.unreadable },
      `${added.length} ${added.length === 1 ? 'key' : 'keys'} added; ${state.unreadable} of ${state.sealed} sealed records can't be read.`,
    )
  },
}

/** The error of an import with the name of the key file, if the fault is in that file. */
function fileFault(path: string, error: unknown): unknown {
  if (isDaybookError(error, 'wrong-passphrase'))
    return new DaybookError('wrong-passphrase', `Wrong passphrase for ${path}, or the file was changed.`, {
      details: { file: path },
      cause: error,
    })
  if (!isDaybookError(error, 'invalid-input') || error.details['path'] === 'passphrase') return error
  const { book } = error.details
  // The file is sound, but the memory is another one: exit code 2, as for a wrong command line.
  if (typeof book === 'string')
    return new UsageError(
      `${path} has the keys of the book \`${book}\`: give --agent ${book}, or first sync this memory with the mirror of that book`,
    )
  return new DaybookError(
    'invalid-file',
    `${path} is not a file of keys that this version reads. Make one with \`export-keys\`.`,
    { details: { file: path, path: '' }, cause: error },
  )
}

export const rotateKeys: Command = {
  name: 'rotate-keys',
  summary: 'Makes a new key and encrypts all sensitive records with it.',
  operands: '',
  options: {},
  help: {},
  async run({ terminal, signal, open }) {
    const book = await open()
    const finished = new Promise<void>((resolve) => {
      book.on('progress', (step) => {
        if (step.capability !== 'seal:rotate') return
        terminal.progress(step)
        // The last event of the work, which comes also if there was nothing to do.
        if (step.done === step.total) resolve()
      })
    })
    // If the user interrupts this, the next opening of the book continues the work.
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve(), { once: true })
    })
    const { current } = await book.seal.rotate()
    // Keep the process alive: the book's own timers don't.
    const alive = setInterval(() => undefined, 1000)
    await Promise.race([finished, stopped])
    clearInterval(alive)
    const state = await book.seal.status()
    terminal.answer(
      state,
      `${current} is the new key; ${state.sealed} records are sealed, ${state.toReseal} still have an old key.`,
    )
  },
}
