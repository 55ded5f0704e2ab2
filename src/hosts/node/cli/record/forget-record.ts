// `daybook forget`: one record out of the memory of an agent, for good. It asks, as nothing brings a record back.
import type { Command } from '../command.ts'
import { UsageError } from '../usage-error.ts'

export const forgetRecord: Command = {
  name: 'forget',
  summary: 'Forgets a record: its content and history go, for good. Asks first.',
  operands: '<id>',
  options: { cascade: { type: 'boolean' } },
  help: { cascade: '        take it out of what cites it too' },
  async run({ values, positionals, terminal, signal, open }) {
    const [id = '', ...more] = positionals
    if (id === '' || more.length > 0) throw new UsageError('forget takes the id of one record')
    const book = await open()
    const record = await book.records.get({ id }, { signal })
    if (record)
      await terminal.confirm(`This forgets the ${record.kind} ${id}, and nothing brings it back.`, 'forget')
    const done = await book.records.forget({ id, cascade: values['cascade'] === true }, { signal })
    const told = done.forgotten_too.length > 0 ? `, and ${done.forgotten_too.length} with it` : ''
    terminal.answer(done, done.forgotten ? `Forgot ${id}${told}.` : `There is no ${id} here.`)
  },
}
