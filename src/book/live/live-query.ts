// What may be asked for live, and which events tell that the answer may be another one now.
// Invariant: only what reads is asked again and again, and in doubt it is asked once too often.
import type { BookEvent } from '../../core/capability/event.ts'
import type { CapabilityEffect } from '../../core/capability/capability.ts'
import { DaybookError } from '../../core/errors.ts'
import { anyOption, listOption, optionsOf, textOption } from '../../core/option/option-check.ts'
import { nearName } from '../../core/option/near-name.ts'

/** A live query without its types. */
export interface AnyLiveQuery {
  readonly method: string
  readonly input?: unknown
  readonly kinds?: readonly string[] | undefined
}

/** Where each verb hangs on a book, what it is called at the one door, and whether it only reads. */
export type MethodRow = readonly [method: string, id: string, effect: CapabilityEffect]
export type MethodTable = readonly MethodRow[]

const checkShape = optionsOf<AnyLiveQuery>(
  { method: textOption(200), input: anyOption, kinds: listOption(textOption(100)) },
  ['method'],
)

/** The id of the verb that `query` asks; throws `invalid-input` for one that there is not, or that changes the book. */
export function checkLiveQuery(query: AnyLiveQuery, methods: MethodTable): string {
  checkShape(query, 'query')
  const row = methods.find(([method]) => method === query.method)
  const meant = row
    ? undefined
    : nearName(
        query.method,
        methods.filter(isRead).map(([method]) => method),
      )
  if (row && isRead(row)) return row[1]
  const message = row
    ? `\`${query.method}\` changes the book, and only what reads can be live`
    : `There is no method \`${query.method}\``
  const way = meant === undefined ? '' : ` Did you mean \`${meant}\`?`
  throw new DaybookError('invalid-input', `\`query.method\`: ${message}.${way}`, {
    details: { path: 'query.method', ...(meant === undefined ? {} : { meant }) },
  })
}

const isRead = ([, , effect]: MethodRow) => effect === 'read'

type EventName = BookEvent['name']

/** What else than changed records tells of a new answer, by how the ids of verbs begin. */
const told: readonly (readonly [start: string, names: readonly EventName[]])[] = [
  ['daybook:', ['status', 'sync', 'task']],
  ['embed:', ['status', 'task']],
  ['seal:', ['status']],
  ['task:', ['task']],
  ['activity:', ['activity']],
  ['room:', ['room', 'status']],
  ['katra:', ['room']],
  ['pool:', ['pool']],
  ['a2p:', ['proposal']],
  ['consent:', ['consent']],
]

/**
 * Tells of an event whether what the verb `id` answers may be another now; of changed records, those of `kinds` count. For the
 * holder of a token leave them out: what it may see can follow from a record of any kind.
 */
export function listensFor(id: string, kinds: readonly string[] | undefined): (event: BookEvent) => boolean {
  const names = new Set(told.filter(([start]) => id.startsWith(start)).flatMap(([, list]) => list))
  return (event) => {
    if (event.name !== 'change') return names.has(event.name)
    return kinds === undefined || event.detail.kinds.some((kind) => kinds.includes(kind))
  }
}
