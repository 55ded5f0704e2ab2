// `daybook create-key`, `list-keys`, `revoke-key`: the access keys of a book at an edge.
import type { CapabilityOutput } from '../../../book/daybook.ts'
import { type Command, given, listOf, textOf } from './command.ts'
import { callEdge, edgeHelp, edgeOptions } from './edge-call.ts'
import { UsageError } from './usage-error.ts'

export const createKey: Command = {
  name: 'create-key',
  summary: 'Makes a key to one book at an edge, and prints it this one time.',
  operands: '<name>',
  options: {
    ...edgeOptions,
    owner: { type: 'boolean' },
    permissions: { type: 'string' },
    scope: { type: 'string' },
    holder: { type: 'string' },
    push: { type: 'string' },
    pull: { type: 'string' },
    expires: { type: 'string' },
  },
  help: {
    ...edgeHelp,
    owner: '          everything, as the owner of the book',
    permissions: '<list>  what it may do, as in read,sync',
    scope: '<scope>   what it reaches, default ** (the whole book)',
    holder: '<name>   in whose name it writes, default the name of the key',
    push: '<list>     kinds it may send in a sync',
    pull: '<list>     kinds it may fetch in a sync',
    expires: '<time>  when it ends',
  },
  async run({ values, positionals, terminal, signal }) {
    const name = positionals.join(' ')
    if (name === '') throw new UsageError('create-key takes a name: what the key is for')
    const input = given({
      name,
      owner: values['owner'] === true ? true : undefined,
      permissions: listOf(values, 'permissions'),
      scope: textOf(values, 'scope'),
      holder: textOf(values, 'holder'),
      push: listOf(values, 'push'),
      pull: listOf(values, 'pull'),
      expires_at: textOf(values, 'expires'),
    })
    const made = (await callEdge(
      values,
      'daybook:create_access_key',
      input,
      signal,
    )) as CapabilityOutput<'daybook:create_access_key'>
    terminal.answer(made, made.key)
    terminal.note(`${made.id} was made. The key is shown this once, and kept nowhere.`)
  },
}

export const listKeys: Command = {
  name: 'list-keys',
  summary: 'Lists the keys to one book at an edge: what each may do, and whether it still counts.',
  operands: '',
  options: { ...edgeOptions, cursor: { type: 'string' } },
  help: { ...edgeHelp, cursor: '<cursor>  the next page: what the page before gave' },
  async run({ values, terminal, signal }) {
    const page = (await callEdge(
      values,
      'daybook:list_access_keys',
      given({ cursor: textOf(values, 'cursor') }),
      signal,
    )) as CapabilityOutput<'daybook:list_access_keys'>
    const rows = page.keys.map(({ id, state, name, owner, permissions, scope }) =>
      [id, state, owner ? 'owner' : `${permissions.join(',')} in ${scope}`, name].join('  '),
    )
    terminal.answer(page, rows.join('\n'))
    if (page.cursor !== undefined) terminal.note(`More: --cursor ${page.cursor}`)
  },
}

export const revokeKey: Command = {
  name: 'revoke-key',
  summary: 'Ends a key to one book at an edge, for good.',
  operands: '<id>',
  options: edgeOptions,
  help: edgeHelp,
  async run({ values, positionals: [id = '', ...more], terminal, signal }) {
    if (id === '' || more.length > 0) throw new UsageError('revoke-key takes the id of one key')
    const ended = (await callEdge(
      values,
      'daybook:revoke_access_key',
      { id },
      signal,
    )) as CapabilityOutput<'daybook:revoke_access_key'>
    if (!ended.revoked) throw new Error(`There is no key ${id}`)
    terminal.answer(ended, `${id} ended at ${ended.revoked_at}.`)
  },
}
