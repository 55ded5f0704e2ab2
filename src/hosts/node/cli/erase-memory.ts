// `daybook erase`: erases the memory of an agent. `daybook start-over`: sends the memory to a new book at the
// mirror. Both ask for the name of the book.
import { checkConfirmed } from '../../../core/book.ts'
import { isDaybookError } from '../../../core/errors.ts'
import { checkNeeded, type Command, textOf, UsageError } from './command.ts'
import { readEdge } from './sync-memory.ts'

export const eraseMemory: Command = {
  name: 'erase',
  summary: 'Erases the whole memory for good: export it first. Asks for its name.',
  operands: '',
  options: { confirm: { type: 'string' }, edge: { type: 'string' }, at: { type: 'string' } },
  help: {
    confirm: '<name>  the name of the book, when there is no terminal to type it',
    edge: '<url>     erase at this mirror first; its key is read from DAYBOOK_KEY',
    at: '<name>      the book there, default the name of the agent',
  },
  async run({ values, terminal, signal, open }) {
    checkNeeded(values, 'at', 'edge')
    const mirror = values['edge'] !== undefined
    const book = await open(mirror ? { edge: readEdge(values) } : {})
    const { name } = await book.status()
    const question = `This erases ${name}${mirror ? ' here and at its mirror' : ' here'} for good. Type its name:`
    const confirm = textOf(values, 'confirm') ?? (await terminal.ask(question, 'erase', '--confirm <name>'))
    checkName(confirm, name)
    const done = await book.erase({ confirm, mirror }, { signal })
    terminal.answer(done, `Erased ${name}${mirror ? ', here and at its mirror' : ''}.`)
  },
}

export const restartMemory: Command = {
  name: 'start-over',
  summary: 'Sends all of this memory to a new book at the mirror where it was erased. Asks for its name.',
  operands: '',
  options: eraseMemory.options,
  help: {
    confirm: '<name>  the name of the book, when there is no terminal to type it',
    edge: '<url>     the address of the edge; its key is read from DAYBOOK_KEY',
    at: '<name>      the book there, default the name of the agent',
  },
  async run({ values, terminal, signal, open }) {
    const book = await open({ edge: readEdge(values) })
    const { name } = await book.status()
    const question = `This sends everything here to a new book ${name} at the mirror. Type its name:`
    const confirm =
      textOf(values, 'confirm') ?? (await terminal.ask(question, 'start-over', '--confirm <name>'))
    checkName(confirm, name)
    const done = await book.startOver({ confirm }, { signal })
    terminal.answer(done, `Sent ${done.pushed}, fetched ${done.pulled}.`)
  },
}

/** Throws `UsageError` if `confirm` isn't the name of the book. */
function checkName(confirm: string, name: string): void {
  try {
    checkConfirmed(confirm, name)
  } catch (error) {
    throw isDaybookError(error) ? new UsageError('The name is wrong. Nothing was changed.') : error
  }
}
