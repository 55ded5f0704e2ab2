// Which verbs MCP may reach at all. Invariant: whoever grants, seals, decides, erases, or takes in a whole book is a person in
// the book itself, never a model over MCP, whatever tool or token it has.
import type { AnyCapability } from '../../../core/capability/capability.ts'
import { DaybookError } from '../../../core/errors.ts'
import { capabilityTable } from '../../../engine/capability-table.ts'

/** What only the owner may call is not offered, but for these: they tell nothing and change nothing. */
const ownersOffered = new Set(['embed:texts'])
/** What a guest may call is offered, but for these: they give rights, or take what is sealed out of its seal. */
const guestsWithheld = new Set(['kstar:grant_control_token', 'kstar:set_sensitivity'])

type Named = Pick<AnyCapability, 'id' | 'summary' | 'effect' | 'permission' | 'runs' | 'input' | 'output'>

const verbs: ReadonlyMap<string, Named> = new Map(
  capabilityTable.map((capability): [string, Named] => [capability.id, capability]),
)

/** The verb of that id, when MCP may reach it. */
export function offeredVerb(id: string): Named | undefined {
  const verb = verbs.get(id)
  if (!verb) return undefined
  const isOffered = verb.permission === undefined ? ownersOffered.has(id) : !guestsWithheld.has(id)
  return isOffered ? verb : undefined
}

/** The verb of that id, or `forbidden` with the way out. */
export function requireOffered(id: string): Named {
  const verb = offeredVerb(id)
  if (verb) return verb
  throw new DaybookError(
    'forbidden',
    `\`${id}\` is not done over MCP: the owner does it in the book itself.`,
    {
      details: { capability: id, reason: 'not-over-mcp' },
    },
  )
}
