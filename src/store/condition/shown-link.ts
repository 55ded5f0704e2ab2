// Rewrites a guest's queries by the links of records, so that the answers reveal no hidden id.
// Invariant: the answers are the same as if no record contained a hidden id.
import type { Selection } from '../../core/capability/port/record-port.ts'
import type { Predicate, Scalar } from '../../core/filter/filter.ts'
import type { Kind } from '../../core/kind.ts'

/** Returns those `ids` that are ids of visible records. */
export type Held = (ids: readonly string[]) => ReadonlySet<string>

const nothing: Predicate = { test: 'any', of: [] }

/** The paths of the links of `kinds`, as steps. */
export function linkSteps(kinds: readonly Kind[]): readonly (readonly string[])[] {
  return kinds.flatMap(({ links = [] }) => links.map((path) => path.split('.')))
}

/** True for a dotted path at or below a link. */
export function isAtLink(links: readonly (readonly string[])[], path: string): boolean {
  const steps = path.split('.')
  return links.some(
    (link) => link.length <= steps.length && link.every((step, i) => step === '*' || step === steps[i]),
  )
}

/** `predicate`, in which a test of a link fails unless it compares with a visible id. */
export function shownPredicate(
  predicate: Predicate,
  links: readonly (readonly string[])[],
  held: Held,
): Predicate {
  switch (predicate.test) {
    case 'all':
    case 'any':
      return { ...predicate, of: predicate.of.map((one) => shownPredicate(one, links, held)) }
    case 'not':
      return { ...predicate, of: shownPredicate(predicate.of, links, held) }
    default:
      return isAtLink(links, predicate.path) ? shownTest(predicate, held) : predicate
  }
}

function shownTest(test: Exclude<Predicate, { test: 'all' | 'any' | 'not' }>, held: Held): Predicate {
  switch (test.test) {
    case 'eq':
    case 'contains':
      return isHeld(test.value, held) ? test : nothing
    case 'in':
      return { ...test, values: test.values.filter((value) => isHeld(value, held)) }
    default:
      return nothing
  }
}

const isHeld = (value: Scalar, held: Held) => typeof value === 'string' && held([value]).has(value)

/** True when `selection` touches no link, or compares with a visible id. */
function isShownSelection(
  { steps, value }: Selection,
  links: readonly (readonly string[])[],
  held: Held,
): boolean {
  const isTouched = links.some(
    (link) =>
      link.length <= steps.length &&
      link.every((name, i) => {
        const step = steps[i]
        return name === '*' || step?.step === 'children' || (step?.step === 'member' && step.name === name)
      }),
  )
  return !isTouched || (value !== undefined && isHeld(value, held))
}

/** `orderBy` without links. */
function shownOrder(
  orderBy: string | readonly string[] | undefined,
  links: readonly (readonly string[])[],
): readonly string[] | undefined {
  const paths = typeof orderBy === 'string' ? [orderBy] : orderBy
  const others = paths?.filter((path) => !isAtLink(links, path.replace(/^-/, '')))
  return others?.length === 0 ? undefined : others
}

/** The rewrites for queries of one guest. `byId`: finds the visible ids. */
export function createShownLinks(
  kinds: readonly Kind[],
  projection: { catchUp(): void },
  byId: { readonly held: Held },
) {
  const held: Held = (ids) => {
    projection.catchUp()
    return byId.held(ids)
  }
  const linksOf = (kind: Kind | undefined) => linkSteps(kind ? [kind] : kinds)
  return {
    held,
    predicate: (predicate: Predicate, kind: Kind | undefined) =>
      shownPredicate(predicate, linksOf(kind), held),
    order: (orderBy: string | readonly string[] | undefined, kind: Kind | undefined) =>
      shownOrder(orderBy, linksOf(kind)),
    isHidden: (selection: Selection, kind: Kind | undefined) =>
      !isShownSelection(selection, linksOf(kind), held),
  }
}
