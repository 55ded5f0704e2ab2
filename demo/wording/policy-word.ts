// A policy as sentences: its agents, the memories they may read, those they never may, and its conditions.
// Invariant: every part of the policy is in a sentence, also parts that this page does not know.

export interface PolicyFields {
  readonly forAgents: string
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly permissions: readonly string[]
  readonly conditions?: Readonly<Record<string, unknown>> | undefined
}

const types: Readonly<Record<string, string>> = {
  episodic: 'memories of what happened',
  semantic: 'memories of what is true',
  procedural: 'memories of how to do things',
}

/** `a, b and c`. */
function listed(words: readonly string[], last = 'and'): string {
  const head = words.slice(0, -1)
  const tail = words.at(-1) ?? ''
  return head.length === 0 ? tail : `${head.join(', ')} ${last} ${tail}`
}

/** `preferences.communication` → `preferences › communication`. */
const path = (text: string) => text.replaceAll('_', ' ').split('.').join(' › ')

/** A scope in words: `a2p:health` → `health`, `a2p:semantic.preferences` → `preferences (memories of what is true)`. */
export function scopeWord(scope: string): string {
  if (['*', '**', 'a2p:*', 'a2p:**', 'memory'].includes(scope)) return 'all memories'
  const plain = scope.replace(/[.:]\*{1,2}$/, '')
  if (plain === 'ext') return 'all categories of extensions'
  const [, type = '', rest] = /^a2p:(episodic|semantic|procedural)(?:\.(.+))?$/.exec(plain) ?? []
  const typed = types[type]
  if (typed !== undefined) return rest === undefined ? typed : `${path(rest)} (${typed})`
  const [, own] = /^a2p:(.+)$/.exec(plain) ?? []
  if (own !== undefined) return path(own)
  const [, extension, inside] = /^ext:([^:.]+)[:.]?(.*)$/.exec(plain) ?? []
  if (extension === undefined) return scope
  return inside ? `${path(inside)} (${extension})` : `everything of ${extension}`
}

/** `*` → `Every agent`; `did:…:assist*` → `Agents named did:…:assist*`. */
export function agentWord(pattern: string): string {
  if (pattern === '') return 'The agent'
  if (/^\*+$/.test(pattern)) return 'Every agent'
  return /[*?]/.test(pattern) ? `Agents named ${pattern}` : pattern
}

const depth: Readonly<Record<string, string>> = {
  read_public: 'only what is public',
  read_scoped: 'nothing sensitive or restricted',
  read_full: 'also what is sensitive; what is restricted only where its category is named',
}
const reading = ['read_full', 'read_scoped', 'read_public']

function rightSentences({ forAgents, allow, permissions }: PolicyFields): string[] {
  const agents = agentWord(forAgents)
  const can = permissions.filter((level) => level !== 'none')
  if (can.length === 0) return [`${agents} may read nothing.`]
  const proposes = can.includes('write')
    ? [`${agents} may propose and write memories.`]
    : can.includes('propose')
      ? [`${agents} may propose memories.`]
      : []
  if (allow.length === 0) return proposes
  const level = reading.find((one) => can.includes(one)) ?? 'read_full'
  return [`${agents} may read ${listed(allow.map(scopeWord))}: ${depth[level]}.`, ...proposes]
}

const spans: Readonly<Record<string, string>> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  y: 'year',
}

/** `15m` → `15 minutes`; with `isRetention`, a retention, `m` is a month. */
export function spanWord(span: string, isRetention = false): string {
  const [, count = '', unit = ''] = /^(\d+)([smhdwy])$/.exec(span) ?? []
  const name = isRetention && unit === 'm' ? 'month' : spans[unit]
  if (name === undefined) return span
  return `${count} ${name}${count === '1' ? '' : 's'}`
}

function conditionSentence(name: string, value: unknown): string | undefined {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Readonly<
    Record<string, unknown>
  >
  const { start, end, timezone, requests, window } = fields
  switch (name) {
    case 'requireHttps':
      return value === true ? 'Only over HTTPS, or from this device.' : undefined
    case 'timeOfDay':
      return `Only from ${String(start)} to ${String(end)}${timezone === undefined ? '' : ` (${String(timezone)})`}.`
    case 'rateLimit':
      return `At most ${String(requests)} ${requests === 1 ? 'call' : 'calls'} in ${spanWord(String(window))}.`
    case 'maxDataRetention':
      return value === 'session_only'
        ? 'It must keep what it read for the session only. Daybook cannot enforce that.'
        : `It must keep what it read for ${spanWord(String(value), true)} at most. Daybook cannot enforce that.`
    default:
      return `The condition “${name}” is not known here, so the policy allows nothing.`
  }
}

/** The sentences of a policy: rights, denials, conditions. */
export function policySentences(policy: PolicyFields): string[] {
  const { forAgents, deny, conditions = {} } = policy
  const never = deny.map(scopeWord)
  return [
    ...rightSentences(policy),
    ...(never.length > 0 ? [`${agentWord(forAgents)} may never read ${listed(never, 'or')}.`] : []),
    ...Object.entries(conditions)
      .map(([name, value]) => conditionSentence(name, value))
      .filter((one) => one !== undefined),
  ]
}
