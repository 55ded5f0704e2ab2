// Reads and checks the sync options: when to sync, and which kinds.
// Invariant: a plan contains only existing kinds and valid durations.
import { invalidInput } from '../../core/errors.ts'
import {
  flagOption,
  listOption,
  optionsOf,
  type OptionTable,
  recordOption,
  keyOption,
  textOption,
  typedOption,
  type OptionCheck,
  wordOption,
} from '../../core/option-check.ts'
import { type ConflictPolicy, kindCalled, type Kinds } from '../../core/kind.ts'

/** A duration: `500ms`, `30s`, `5m`, `1h`, `2d`. */
export type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

/** Triggers of automatic syncs. Default of each: off. */
export interface SyncTriggers {
  /** When the book opens, and when the network is back. */
  readonly on_wake?: boolean
  /** After the book was unused for this time. `true`: 5 minutes. */
  readonly on_idle?: boolean | { readonly threshold: Duration }
  /** Soon after a write of these kinds. `true`: of any kind. */
  readonly on_action?: boolean | { readonly kinds: readonly string[] }
  /** At this interval. `true`: every hour. */
  readonly periodic?: boolean | { readonly interval: Duration }
}

export interface SyncPreferences {
  /** Default: when the book opens, soon after each write, and every 15 minutes. `manual`: only when called. */
  readonly triggers?: SyncTriggers | 'manual'
  /** Kinds to send, and kinds to fetch, by singular or plural name. Default: all. */
  readonly push?: readonly string[]
  readonly pull?: readonly string[]
  /** Conflict policies by kind. Default: the kind's policy. */
  readonly policies?: Readonly<Record<string, ConflictPolicy>>
  /**
   * Keeps a connection open on which the mirror announces changes, if the host has one. Default: true unless `triggers`
   * is `manual`; Node connects only for `true`.
   */
  readonly live?: boolean
}

export interface SyncPlan {
  readonly onWake: boolean
  /** `idleMs` and `intervalMs`: undefined is off. */
  readonly idleMs: number | undefined
  /** The kinds whose writes start a sync; empty: none. */
  readonly onAction: 'all' | ReadonlySet<string>
  readonly intervalMs: number | undefined
  readonly push: readonly string[] | undefined
  readonly pull: readonly string[] | undefined
  readonly policies: ReadonlyMap<string, ConflictPolicy>
  readonly live: boolean
}

/** True if any trigger is on. */
export function isAutomatic({ onWake, idleMs, intervalMs, onAction }: SyncPlan): boolean {
  return onWake || idleMs !== undefined || intervalMs !== undefined || onAction === 'all' || onAction.size > 0
}

const defaultTriggers: SyncTriggers = { on_wake: true, on_action: true, periodic: { interval: '15m' } }
const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
/** Longest duration: timers of all platforms take at most 2^31 - 1 ms, which is 24.8 days. */
const maxTimerMs = 24 * unitMs.d
const policyNames: readonly string[] = [
  'local_wins',
  'remote_wins',
  'last_write_wins',
  'merge',
  'manual',
] satisfies readonly ConflictPolicy[]

const nameList = listOption(textOption(200))

const manualOption: OptionCheck = (value, path) => {
  if (value !== 'manual') throw invalidInput(path, 'Must be `manual` or an object of triggers')
}

const triggersOption = optionsOf<SyncTriggers>({
  on_wake: flagOption,
  on_idle: typedOption({
    boolean: flagOption,
    object: optionsOf({ threshold: textOption(40) }, ['threshold']),
  }),
  on_action: typedOption({ boolean: flagOption, object: optionsOf({ kinds: nameList }, ['kinds']) }),
  periodic: typedOption({
    boolean: flagOption,
    object: optionsOf({ interval: textOption(40) }, ['interval']),
  }),
})

/** Checks of the sync options, except names of kinds and durations: `parseSyncPlan` checks those. */
export const syncOptionTable: OptionTable<SyncPreferences> = {
  triggers: typedOption({ string: manualOption, object: triggersOption }),
  push: nameList,
  pull: nameList,
  policies: recordOption(wordOption(...policyNames)),
  live: flagOption,
}

/** Checks of the mirror options of every host: address, key, sync options. */
export const mirrorOptionTable = {
  url: textOption(2000),
  key: keyOption,
  ...syncOptionTable,
}

/** Reads `preferences`, which passed `syncOptionTable`. Throws `invalid-input` with the path of the fault. */
export function parseSyncPlan(preferences: SyncPreferences, kinds: Kinds): SyncPlan {
  const { triggers = defaultTriggers, push, pull, policies = {} } = preferences
  const { on_wake, on_idle, on_action, periodic } = triggers === 'manual' ? {} : triggers
  const namesOf = (list: readonly string[] | undefined, path: string) =>
    list?.map((name, i) => kindName(name, kinds, `${path}.${i}`))
  return {
    live: preferences.live ?? triggers !== 'manual',
    onWake: on_wake ?? false,
    idleMs: optionalDuration(on_idle, 'threshold', '5m', 'sync.triggers.on_idle'),
    onAction:
      on_action === true
        ? 'all'
        : new Set(on_action ? namesOf(on_action.kinds, 'sync.triggers.on_action.kinds') : []),
    intervalMs: optionalDuration(periodic, 'interval', '1h', 'sync.triggers.periodic'),
    push: namesOf(push, 'sync.push'),
    pull: namesOf(pull, 'sync.pull'),
    policies: parsePolicies(policies, kinds),
  }
}

/** Throws `invalid-input` if both names of a kind, singular and plural, are given with different policies. */
function parsePolicies(
  policies: Readonly<Record<string, ConflictPolicy | undefined>>,
  kinds: Kinds,
): Map<string, ConflictPolicy> {
  const byKind = new Map<string, ConflictPolicy>()
  for (const [name, policy] of Object.entries(policies)) {
    if (policy === undefined) continue
    const path = `sync.policies.${name}`
    const kind = kindName(name, kinds, path)
    if ((byKind.get(kind) ?? policy) !== policy)
      throw invalidInput(path, `The kind \`${kind}\` has another policy already`)
    byKind.set(kind, policy)
  }
  return byKind
}

function optionalDuration<Name extends string>(
  value: boolean | { readonly [name in Name]: Duration } | undefined,
  name: Name,
  defaultDuration: Duration,
  path: string,
): number | undefined {
  if (value === undefined || value === false) return undefined
  return parseDuration(value === true ? defaultDuration : value[name], `${path}.${name}`)
}

/** Returns the milliseconds of a duration from 1 ms to 24 days. Throws `invalid-input` for other texts. */
export function parseDuration(text: string, path: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(String(text))
  const ms = match ? Number(match[1]) * unitMs[match[2] as keyof typeof unitMs] : Number.NaN
  if (ms >= 1 && ms <= maxTimerMs) return ms
  throw invalidInput(path, 'Must be a duration such as `30s`, `5m` or `1h`, of at most 24 days')
}

/** Returns the kind's name for a singular or plural name. Throws `invalid-input` for an unknown name. */
function kindName(name: unknown, kinds: Kinds, path: string): string {
  const kind = typeof name === 'string' ? kindCalled(kinds, name) : undefined
  if (kind) return kind.name
  throw invalidInput(path, `There is no kind \`${String(name).slice(0, 80)}\``, {
    known: [...kinds.keys()],
  })
}
