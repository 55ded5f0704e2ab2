// `daybook export-memory`: writes the memory of an agent as a bundle to a file or stdout.
import { defined } from '../../../core/defined.ts'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Command, listOf, textOf, UsageError } from './command.ts'
import { makeOwnFolder } from '../port/private-file.ts'
import { writeAtomically, outStream } from './output-file.ts'
import { restartExport } from './restart-export.ts'
import { readPassphrase } from './input-file.ts'

export const exportMemory: Command = {
  name: 'export-memory',
  summary: 'Writes the memory of an agent to a bundle.',
  operands: '',
  options: {
    output: { type: 'string', short: 'o' },
    from: { type: 'string' },
    to: { type: 'string' },
    types: { type: 'string' },
    encrypt: { type: 'boolean' },
    'passphrase-file': { type: 'string' },
    'include-tokens': { type: 'boolean' },
    'include-sensitive': { type: 'boolean' },
    'without-sensitive': { type: 'boolean' },
    sign: { type: 'boolean' },
  },
  help: {
    output: '<file>   the file to write; - for stdout; default <home>/agents/<agent>/export/<time>.kstar',
    from: '<date>     only records of this day or later',
    to: '<date>       only records until the end of this day',
    types: '<list>    only these, as in traces,facts',
    encrypt: '         encrypt with a passphrase',
    'passphrase-file': '<file>  its first line is the passphrase',
    'include-tokens': '  include control tokens; asks first',
    'include-sensitive': '  write sensitive records in clear into an open bundle; asks first',
    'without-sensitive': '  leave sensitive records out',
    sign: '            sign with the key of this memory',
  },
  async run({ values, terminal, signal, open, exportFolder }) {
    const secretFile = textOf(values, 'passphrase-file')
    if (values['encrypt'] && secretFile === undefined)
      throw new UsageError('--encrypt needs --passphrase-file')
    if (!values['encrypt'] && secretFile !== undefined)
      throw new UsageError('--passphrase-file goes with --encrypt')
    if (values['include-sensitive'] && values['without-sensitive'])
      throw new UsageError('--include-sensitive and --without-sensitive exclude each other')
    const options = defined({
      kinds: listOf(values, 'types'),
      from: textOf(values, 'from'),
      to: textOf(values, 'to'),
      includeTokens: values['include-tokens'] === true ? true : undefined,
      // Undefined: included in an encrypted bundle; an open bundle of a memory with sensitive records is refused.
      includeSensitive:
        values['without-sensitive'] === true
          ? false
          : values['include-sensitive'] === true
            ? true
            : undefined,
      sign: values['sign'] === true ? true : undefined,
      passphrase: secretFile === undefined ? undefined : await readPassphrase(secretFile, signal),
    })
    if (options.includeTokens) {
      await terminal.confirm(
        'Anyone with the bundle can use its control tokens. Write them into the bundle?',
        '--include-tokens',
      )
    }
    if (options.includeSensitive && !options.passphrase) {
      await terminal.confirm('Write sensitive records in clear into the bundle?', '--include-sensitive')
    }
    const book = await open()
    let records = 0
    book.on('progress', (step) => {
      // `done`: records exported so far.
      records = step.done
      terminal.progress({ ...step, subject: 'Exported' })
    })
    const output = textOf(values, 'output') ?? join(exportFolder, `${fileTime()}.kstar`)
    if (output === '-') {
      await pipeline(await book.export(options, { signal }), outStream(), { signal })
      return
    }
    if (textOf(values, 'output') === undefined) makeOwnFolder(exportFolder)
    const writeBundle = async () => writeAtomically(output, await book.export(options, { signal }), signal)
    // If the process that owns the book ends, the export starts again; but a pipe or device has received a part already.
    const isFile = (await stat(output).catch(() => undefined))?.isFile() ?? true
    const bytes = await (isFile ? restartExport(writeBundle) : writeBundle())
    terminal.answer(
      { output, records, bytes },
      `${records.toLocaleString('en')} records written to ${output}`,
    )
  },
}

function fileTime(): string {
  return new Date().toISOString().replaceAll(':', '-')
}
