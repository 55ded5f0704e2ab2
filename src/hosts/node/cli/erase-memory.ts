// `daybook erase`: takes the memory of an agent away, here and, with `--edge`, at its mirror. It asks for the name of the book.
import { checkConfirmed } from '../../../core/book.ts'
import { isDaybookError } from '../../../core/errors.ts'
import { type Command, textOf } from './command.ts'
import { readEdge } from './sync-memory.ts'
import { UsageError } from './usage-error.ts'

export const eraseMemory: Command = {
  name: 'erase',
  summary: 'Erases the whole memory, for ever: export it first. Asks for its name.',
  operands: '',
  options: { confirm: { type: 'string' }, edge: { type: 'string' }, book: { type: 'string' } },
  help: {
    confirm: '<name>  the name of the book, where nobody is here to type it',
    edge: '<url>     at the mirror there too, and first; its key is read from DAYBOOK_KEY',
    book: '<name>    the book there, default the name of the agent',
  },
  async run({ values, terminal, signal, open }) {
    const mirror = values['edge'] !== undefined
    const book = await open(mirror ? { edge: readEdge(values) } : {})
    const { name } = await book.status()
    const question = `This erases ${name}${mirror ? ' here and at its mirror' : ' here'}, and nothing brings it back. Type its name:`
    const confirm = textOf(values, 'confirm') ?? (await terminal.ask(question, 'erase', '--confirm <name>'))
    checkName(confirm, name)
    const done = await book.erase({ confirm, mirror }, { signal })
    terminal.answer(done, `Erased ${name}${mirror ? ', here and at its mirror' : ''}.`)
  },
}

export const beginAnew: Command = {
  name: 'begin-anew',
  summary: 'Begins a memory anew at the mirror where it was erased, of all that is here. Asks for its name.',
  operands: '',
  options: eraseMemory.options,
  help: {
    confirm: '<name>  the name of the book, where nobody is here to type it',
    edge: '<url>     the address of the edge; its key is read from DAYBOOK_KEY',
    book: '<name>    the book there, default the name of the agent',
  },
  async run({ values, terminal, signal, open }) {
    const book = await open({ create: true, edge: readEdge(values) })
    const { name } = await book.status()
    const question = `This sends all that is here to a new book ${name} at the mirror. Type its name:`
    const confirm =
      textOf(values, 'confirm') ?? (await terminal.ask(question, 'begin-anew', '--confirm <name>'))
    checkName(confirm, name)
    const done = await book.beginAnew({ confirm }, { signal })
    terminal.answer(done, `Sent ${done.pushed}, fetched ${done.pulled}.`)
  },
}

/** Not confirmed is no failure: it has an exit code of its own. */
function checkName(confirm: string, name: string): void {
  try {
    checkConfirmed(confirm, name)
  } catch (error) {
    throw isDaybookError(error) ? new UsageError('That is not its name. Nothing was changed.') : error
  }
}
