// `daybook verify-bundle`: checks that a bundle is complete and unchanged, and prints its header with the number of
// records of each kind.
import { defined } from '../../../core/defined.ts'
import { openDaybook } from '../book/open-daybook.ts'
import { type Command, textOf, UsageError } from './command.ts'
import { openSource } from './import-memory.ts'
import { readPassphrase } from './input-file.ts'

export const verifyBundle: Command = {
  name: 'verify-bundle',
  summary: 'Verifies a bundle without importing it.',
  operands: '<bundle>',
  options: { 'passphrase-file': { type: 'string' }, 'signed-by': { type: 'string' } },
  help: {
    'passphrase-file': '<file>  for an encrypted bundle: its first line is the passphrase',
    'signed-by': '<key>  refuse a bundle that this key did not sign',
  },
  async run({ values, positionals, terminal, signal }) {
    const [path] = positionals
    if (path === undefined || positionals.length > 1) throw new UsageError('verify-bundle takes one bundle')
    const secretFile = textOf(values, 'passphrase-file')
    const options = defined({
      signedBy: textOf(values, 'signed-by'),
      passphrase: secretFile === undefined ? undefined : await readPassphrase(secretFile, signal),
    })
    const source = await openSource(path, signal)
    // An empty book in memory, which verifies without importing.
    const book = await openDaybook({
      name: 'verify',
      path: ':memory:',
      textIndexInMemory: false,
      embedder: { provider: 'none' },
    })
    try {
      book.on('progress', (step) => terminal.progress({ ...step, subject: 'Read' }))
      const found = await book.verify(source, { ...options, signal })
      // A full export lists every kind, most of them without records.
      const counts = Object.entries(found.counts)
        .filter(([, n]) => n > 0)
        .map(([kind, n]) => `  ${kind} ${n.toLocaleString('en')}`)
      terminal.answer(
        found,
        [
          `whole: ${found.checksum}`,
          `exported ${found.exportedAt} by ${found.agent.id}${found.encrypted ? ', encrypted' : ''}`,
          found.signedBy === undefined ? 'not signed' : `signed by ${found.signedBy}`,
          ...(counts.length === 0 ? ['  no records'] : counts),
        ].join('\n'),
      )
    } finally {
      await book.close()
    }
  },
}
