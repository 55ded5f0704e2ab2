// `daybook store`: one record into the memory of an agent, from the command line, a file or stdin, in the shape that its
// description gives it.
import { nameOfKind, storedKinds } from './stored-kind.ts'
import { callSeedShape } from '../../../../doors/seed-shape/seed-shape.ts'
import { type Command, textOf } from '../command.ts'
import { readJsonSource } from './json-source.ts'
import { UsageError } from '../usage-error.ts'

export const storeRecord: Command = {
  name: 'store',
  summary: `Stores a record (${storedKinds.join(', ')}), and prints its receipt. Makes the memory if there is none.`,
  operands: "<kind> '<JSON>' | @<file> | -",
  options: { 'request-id': { type: 'string' } },
  help: { 'request-id': '<id>  sent again under this id, it is stored once' },
  async run({ values, positionals, terminal, signal, open }) {
    const [given = '', source, ...more] = positionals
    const kind = nameOfKind(given)
    if (source === undefined || more.length > 0)
      throw new UsageError(`store takes a kind and one record: '<JSON>', @<file>, or - for stdin`)
    const input = await readJsonSource(source, 'The record', signal)
    const book = await open({ create: true })
    const requestId = textOf(values, 'request-id')
    const receipt = await callSeedShape(`store_${kind}`, input, {
      now: () => Date.now(),
      call: (id, asked) =>
        book.call(id, asked, { signal, ...(requestId === undefined ? {} : { requestId }) }),
    })
    terminal.answer(receipt, String((receipt as Record<string, unknown>)[`${kind}_id`]))
  },
}
