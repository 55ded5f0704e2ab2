// The table of an engine's verbs. The facts of every verb are known from the start; the verbs of a later chapter are
// loaded at the first call of one of its verbs.
// Invariant: engine code inside a transaction finds a verb at once or throws; only the path of a call waits for a
// load.
import type { AnyCapability, CapabilityEffect } from '../core/capability/capability.ts'
import type { ChapterBase, ChapterPorts } from '../core/capability/chapter.ts'
import type { PortParts, WritePortParts } from '../core/capability/context.ts'
import type { Ledger, LedgerWriter } from '../core/capability/port/record-port.ts'
import { defined } from '../core/defined.ts'
import { DaybookError, isDaybookError } from '../core/errors.ts'
import type { Kind, Kinds } from '../core/kind.ts'
import { nearName } from '../core/option-check.ts'

/** The facts about a verb that the engine and its tabs need before the verb is loaded. */
export type VerbFacts = Pick<
  AnyCapability,
  'id' | 'methods' | 'effect' | 'repeatable' | 'isQueued' | 'secrets' | 'isUncounted'
>

export interface VerbTable {
  readonly kinds: Kinds
  readonly chapters: readonly ChapterBase[]
  /** The ports of the chapters. */
  readonly ports: Required<ChapterPorts>
  /** The facts of every verb, loaded or not. */
  readonly facts: readonly VerbFacts[]
  /** The effect of the verb `id`; undefined if there is no such verb. */
  effectOf(id: string): CapabilityEffect | undefined
  /** Returns the verb `id`. Throws `unknown-capability`, or `part-unavailable` before the verb is loaded. */
  find(id: string): AnyCapability
  /** Loads the verb `id`; undefined if it is loaded or unknown. Rejects with `part-unavailable`. */
  load(id: string): Promise<void> | undefined
}

/** Error for a verb that is needed at once and not loaded yet. `whenLoaded` loads the verb and repeats the work. */
export function notLoaded(id: string): DaybookError {
  return new DaybookError('part-unavailable', `\`${id}\` is not loaded yet.`, { details: { capability: id } })
}

/**
 * Runs `work`. If it throws for a verb that is not loaded, loads the verb and runs `work` again: when `work` throws,
 * it must have had no effect.
 */
export async function whenLoaded<Result>(
  verbs: Pick<VerbTable, 'load'>,
  work: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const missed = isDaybookError(error, 'part-unavailable') ? error.details['capability'] : undefined
      const loading = typeof missed === 'string' ? verbs.load(missed) : undefined
      if (!loading) throw error
      await loading
    }
  }
}

/** The facts about a capability that decide whether a call may be sent twice. */
export interface CallNature {
  readonly effect: CapabilityEffect
  /** True for a task that may run again from its start. Reads and writes may be sent twice anyway. */
  readonly repeatable: boolean
}

/** An unknown capability counts as a read: its call only fails, and may be sent twice. */
export function natureIn(facts: VerbFacts | undefined): CallNature {
  const { effect, repeatable = false } = facts ?? { effect: 'read', repeatable: true }
  return { effect, repeatable }
}

/** The error for an id that is not in `ids`. It suggests a similar id, or one with the same words. */
export function unknownVerb(id: string, ids: Iterable<string>): DaybookError {
  const written = String(id).slice(0, 80)
  const words = new Set(written.split(/[:_]/))
  const all = [...ids]
  const meant =
    nearName(written, all) ?? all.find((one) => one.split(/[:_]/).every((word) => words.has(word)))
  const hint = meant === undefined ? '' : ` Did you mean \`${meant}\`?`
  return new DaybookError('unknown-capability', `There is no capability \`${written}\`.${hint}`, {
    details: { path: 'capability', ...defined({ meant }) },
  })
}

/** The ports of `chapters`. In the ledger, each port reaches only records of its own chapter's kinds. */
export function portsOf(chapters: readonly ChapterBase[]): Required<ChapterPorts> {
  return {
    read: Object.assign(
      {},
      ...chapters.map(({ ports, kinds: own }) =>
        mapBuilders(ports?.read, (parts: PortParts) => ({ ...parts, ledger: readerOf(own, parts.ledger) })),
      ),
    ) as Required<ChapterPorts>['read'],
    write: Object.assign(
      {},
      ...chapters.map(({ ports, kinds: own }) =>
        mapBuilders(ports?.write, (parts: WritePortParts) => ({
          ...parts,
          ledger: writerOf(own, parts.ledger),
        })),
      ),
    ) as Required<ChapterPorts>['write'],
  }
}

/** `builders`; each builder gets its parts as `narrow` returns them. */
function mapBuilders<Parts>(builders: object | undefined, narrow: (parts: Parts) => Parts): object {
  return Object.fromEntries(
    Object.entries(builders ?? {}).map(([name, build]: [string, (parts: Parts) => unknown]) => [
      name,
      (parts: Parts) => build(narrow(parts)),
    ]),
  )
}

const isOf = (own: readonly Kind[], kind: string) => own.some(({ name }) => name === kind)

function readerOf(own: readonly Kind[], ledger: Ledger): Ledger {
  return {
    get: getterOf(own, ledger),
    query: (query) => (isOf(own, query.kind) ? ledger.query(query) : { records: [] }),
  }
}

function writerOf(own: readonly Kind[], ledger: LedgerWriter): LedgerWriter {
  return {
    get: getterOf(own, ledger),
    wasForgotten: (id) => ledger.wasForgotten(id),
    put(request) {
      if (isOf(own, request.kind)) return ledger.put(request)
      throw new DaybookError('forbidden', `A ${request.kind} is no record of this chapter.`)
    },
  }
}

function getterOf(own: readonly Kind[], ledger: Pick<Ledger, 'get'>): Ledger['get'] {
  return (id) => {
    const found = ledger.get(id)
    return found && isOf(own, found.kind) ? found : undefined
  }
}
