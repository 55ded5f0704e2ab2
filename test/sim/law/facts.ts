// The laws of facts that supersede each other, held against a world at rest.
import { type Chain, successionOf } from '../../../src/core/succession.ts'
import { factKind } from '../../../src/memory/kstar/fact-kind.ts'
import { type Row, rowsOf } from '../ledger.ts'
import type { Stage } from '../stage/stage.ts'
import { openBodies } from '../world/sim-kind.ts'
import type { Disk } from '../world/sim-disk.ts'
import type { Site } from '../world/sim-site.ts'
import { none, same } from './same.ts'

/** No fact is less guarded than one in whose place it stands, though that may be gone. */
function judgeGuards({ db }: Disk): void {
  const clear = db.all<{ id: string; target: string }>(
    `SELECT r.id, t.id AS target FROM records r JOIN records t ON t.id = r.body ->> 'supersedes'
     WHERE r.kind = 'fact' AND r.deleted = 0 AND r.kid IS NULL
       AND (t.kid IS NOT NULL OR (t.deleted = 1 AND t.sensitivity IS NOT NULL))`,
  )
  none(clear, 'No fact is in clear that stands in the place of a sealed one')
}

/** One is current in each succession, the same at every place; what yields is logged, once at each place. */
export function judgeFacts({ world }: Stage): void {
  const { mirror, devices } = world
  const facts = rowsOf(mirror.disk, 0).filter(({ kind }) => kind === 'fact')
  if (facts.length === 0) return
  for (const { disk } of [mirror, ...devices]) judgeGuards(disk)
  // What is sealed and what is not know nothing of each other in queries, and the mirror reads nothing of the former.
  if (facts.some(({ body }) => body.startsWith('['))) return judgeLog([mirror, ...devices])
  const successions = groupsOf(facts)
  const chain = chainOf(facts)
  for (const group of successions) {
    const current = new Set(group.map(({ id }) => successionOf(id, factKind.policy, chain).current))
    same(current.size, 1, `One fact is current of ${group.map(({ id }) => id).join(', ')}`)
  }
  const told = facts
    .filter(({ id }) => {
      const { next, isDisplaced } = successionOf(id, factKind.policy, chain)
      return next === undefined && !isDisplaced
    })
    .map(({ id }) => id)
  for (const { name, run } of [mirror, ...devices]) {
    const { reader } = run().access
    const current = reader.query({ kind: 'fact', limit: 1000 }).records.map(({ id }) => id)
    same(current.toSorted(), told.toSorted(), `The facts that are current for ${name}`)
    same(current.length, successions.length, `One fact of each succession is current for ${name}`)
  }
  judgeLog([mirror, ...devices])
}

function judgeLog(places: readonly Site[]): void {
  for (const { name, run } of places) {
    const entries = run()
      .store.conflicts.list({ limit: 10_000 })
      .filter(({ winner }) => winner?.record !== undefined)
    const pairs = entries.map(({ record, winner }) => `${record} and ${winner?.record}`)
    none(
      pairs.filter((pair, at) => pairs.indexOf(pair) !== at),
      `${name} has one entry about two facts that stand for one`,
    )
  }
}

const targetOf = (row: Row): string | undefined => {
  const { supersedes } = openBodies.readOrThrow(row, row.body)
  return typeof supersedes === 'string' ? supersedes : undefined
}

function chainOf(facts: readonly Row[]): Chain {
  const heirs = facts.map((row) => ({ id: row.id, created_at: row.created_at, target: targetOf(row) }))
  return {
    get: (id) => heirs.find((one) => one.id === id),
    heirs: (id) => heirs.filter(({ target }) => target === id),
    mayBeDisplaced: () => true,
  }
}

/** The facts that are joined by what they supersede, though that may be gone. */
function groupsOf(facts: readonly Row[]): Row[][] {
  const rootOf = new Map<string, string>()
  const find = (id: string): string => {
    const up = rootOf.get(id)
    return up === undefined || up === id ? id : find(up)
  }
  for (const row of facts) {
    const target = targetOf(row)
    if (target !== undefined) rootOf.set(find(row.id), find(target))
  }
  return [...Map.groupBy(facts, ({ id }) => find(id)).values()]
}
