// `daybook proposals`, `approve`, `reject` and `edit`: the owner decides about memories that agents proposed.
// Invariant: these commands act under the owner's name, which no host of agents gets (agent-name.ts).
import { defined } from '../../../core/defined.ts'
import type { Daybook } from '../../../book/daybook.ts'
import { ownerName } from '../../../doors/mcp/agent-name.ts'
import { type Command, type CommandContext, numberOf, textOf, UsageError } from './command.ts'

const states = ['pending', 'approved', 'edited', 'rejected', 'withdrawn', 'expired'] as const
const hiddenOption = { 'despite-hidden': { type: 'boolean' } } as const
const hiddenHelp = { 'despite-hidden': '  although the text has hidden characters' }

const openAsOwner = ({ open }: CommandContext): Promise<Daybook> => open({ as: ownerName })

export const listProposals: Command = {
  name: 'proposals',
  summary: 'Lists the memories that agents propose, newest first.',
  operands: '',
  options: {
    status: { type: 'string' },
    limit: { type: 'string' },
    cursor: { type: 'string' },
  },
  help: {
    status: `<state>  ${states.join(', ')} or all; default pending`,
    limit: '<n>       at most this many, default 100',
    cursor: '<cursor>  the cursor that the previous page printed',
  },
  async run(context) {
    const { values, terminal, signal } = context
    const name = textOf(values, 'status') ?? 'pending'
    const status = states.find((one) => one === name)
    if (status === undefined && name !== 'all')
      throw new UsageError(`--status takes ${states.join(', ')} or all`)
    const limit = numberOf(values, 'limit', 1, 1000)
    const book = await openAsOwner(context)
    const query = defined({ status, limit, cursor: textOf(values, 'cursor') })
    const page = await book.proposals.list(query, { signal })
    terminal.answer(page, page.proposals.map(lineOf).join('\n'))
    if (page.cursor !== undefined) terminal.note(`More: --cursor ${page.cursor}`)
    const { memories = 0 } = await book.proposals.counts({}, { signal })
    if (memories > 0)
      terminal.note(
        `${memories} imported memories wait too: daybook query --type memory '{"status":"pending"}'`,
      )
    if (page.sealed) terminal.note(`${page.sealed} sealed proposals could not be read: give --unlock-file.`)
  },
}

/** A proposal as one line. A proposal that can't be read has no content. */
function lineOf(proposal: Readonly<Record<string, unknown>> & { readonly id: string }): string {
  const { id, status, agentName, agentDid, category, content, proposedAt, hidden } = proposal
  const warning = Array.isArray(hidden) && hidden.length > 0 ? '  (has hidden characters)' : ''
  const at = String(proposedAt ?? '').slice(0, 16)
  return `${at}  ${id}  ${status}  ${agentName ?? agentDid}  ${category}  ${JSON.stringify(content ?? null)}${warning}`
}

export const approveProposal: Command = {
  name: 'approve',
  summary: 'Approves a proposal, or an imported memory that waits.',
  operands: '<id>',
  options: hiddenOption,
  help: hiddenHelp,
  run: (context) => review(context, 'approve', idOnly(context.positionals, 'approve')),
}

export const rejectProposal: Command = {
  name: 'reject',
  summary: 'Rejects a proposal, or forgets an imported memory that waits.',
  operands: '<id>',
  options: { reason: { type: 'string' } },
  help: { reason: '<text>    why, for the agent that proposed it' },
  run(context) {
    const reason = textOf(context.values, 'reason')
    return review(context, 'reject', { ...idOnly(context.positionals, 'reject'), ...defined({ reason }) })
  },
}

export const editProposal: Command = {
  name: 'edit',
  summary: 'Approves a proposal with another text.',
  operands: '<id> <text>',
  options: hiddenOption,
  help: hiddenHelp,
  run(context) {
    const [id = '', ...words] = context.positionals
    const content = words.join(' ')
    if (id === '' || content === '')
      throw new UsageError('edit takes the id of one proposal, and its new text')
    return review(context, 'edit', { id, edited: { content } })
  },
}

function idOnly([id = '', ...more]: readonly string[], name: string): { id: string } {
  if (id === '' || more.length > 0) throw new UsageError(`${name} takes the id of one proposal`)
  return { id }
}

const doneWords = { approve: 'Approved', reject: 'Rejected', edit: 'Approved with the new text' }

type Decision = Pick<Parameters<Daybook['proposals']['review']>[0], 'id' | 'edited' | 'reason'>

async function review(
  context: CommandContext,
  action: keyof typeof doneWords,
  decision: Decision,
): Promise<void> {
  const { values, terminal, signal } = context
  const book = await openAsOwner(context)
  const despiteHidden = values['despite-hidden'] === true
  const answer = await book.proposals.review({ ...decision, action, despiteHidden }, { signal })
  const memory = answer.memory === undefined ? '' : `: ${answer.memory}`
  terminal.answer(answer, `${doneWords[action]} ${answer.id}${memory}`)
}
