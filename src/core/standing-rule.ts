// Standing rules: instructions of the user that every prompt contains. Only the owner writes them; every caller that may
// ask for a context reads those that apply to it.
import type { RecordPage, RuleReader } from './capability/port/record-port.ts'
import type { Scope } from './record.ts'
import type { StandingRule } from './text/pack-rules.ts'

/** The priority of a rule that names none. A lower value comes first, as in policies. */
export const usualPriority = 100

type Fields = RecordPage['records'][number]

const priorityOf = ({ priority }: Fields): number => (typeof priority === 'number' ? priority : usualPriority)

/** True if the rule names no other agent, session or resource than `scope`. */
function appliesTo({ scope: own = {} }: Fields, scope: Partial<Scope>): boolean {
  return Object.entries(own ?? {}).every(([name, value]) => scope[name as keyof Scope] === value)
}

/** The records of the rules in force for `scope`: by priority, then the oldest first. */
export function rulesInForce(
  { query }: Pick<RuleReader, 'query'>,
  scope: Partial<Scope>,
): (Fields & StandingRule)[] {
  const records: Fields[] = []
  let cursor: string | undefined
  do {
    const page = query({ kind: 'rule', orderBy: ['created_at', 'id'], limit: 1000, cursor })
    records.push(...page.records)
    cursor = page.cursor
  } while (cursor !== undefined)
  return records
    .filter((rule) => rule['paused'] !== true && appliesTo(rule, scope))
    .sort((a, b) => priorityOf(a) - priorityOf(b))
    .map((rule) => ({ ...rule, text: String(rule['text']) }))
}
