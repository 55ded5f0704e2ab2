// Standing rules: instructions of the user that every prompt contains. Only the owner writes them; every caller that may
// ask for a context reads those that apply to it.
import type { CallPort } from './capability/context.ts'
import type { RecordReader, RuleReader } from './capability/port/record-port.ts'
import { defined } from './defined.ts'
import type { JsonObject } from './json/path.ts'
import type { Scope, Stored } from './record.ts'
import { type PackedRules, packRules, type StandingRule } from './text/pack-rules.ts'

/** The priority of a rule that names none. A lower value comes first, as in policies. */
export const usualPriority = 100

type Fields = Stored<JsonObject>

const priorityOf = ({ priority }: Fields): number => (typeof priority === 'number' ? priority : usualPriority)

/** True if the rule names no other agent, session or resource than `scope`. */
function appliesTo({ scope: own = {} }: Fields, scope: Partial<Scope>): boolean {
  return Object.entries(own ?? {}).every(([name, value]) => scope[name as keyof Scope] === value)
}

const isEnded = ({ valid_until: end }: Fields, now: string): boolean => typeof end === 'string' && end <= now

/** The records of the rules in force at the time `now` for `scope`: by priority, then the oldest first. */
export function rulesInForce(
  { standing }: Pick<RuleReader, 'standing'>,
  scope: Partial<Scope>,
  now: string,
): (Fields & StandingRule)[] {
  return standing()
    .filter((rule) => rule['paused'] !== true && !isEnded(rule, now) && appliesTo(rule, scope))
    .sort((a, b) => priorityOf(a) - priorityOf(b))
    .map((rule) => ({ ...rule, text: String(rule['text']) }))
}

/** `lane`: names in place of those of the call. `budget` and `measure`: see `packRules`. */
interface PromptRules {
  readonly lane?: { readonly [Name in keyof Scope]?: Scope[Name] | undefined }
  readonly budget?: number
  readonly measure?: (text: string) => number
}

/** The rules in force for a call, written for its prompt; undefined if none applies. */
export function rulesForPrompt(
  { records, call }: { readonly records: Pick<RecordReader, 'rules'>; readonly call: CallPort },
  { lane = {}, budget, measure }: PromptRules = {},
): PackedRules | undefined {
  const scope: Partial<Scope> = { ...call.scope, ...defined(lane) }
  // A guest may not read the rules for another agent.
  const own = call.caller.role === 'guest' ? { ...scope, agent: call.scope.agent } : scope
  return packRules(rulesInForce(records.rules, own, call.now), budget, measure)
}
