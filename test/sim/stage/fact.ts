// Facts of a schedule: each succession begins with one fact; each later fact supersedes the current one.
import { defined } from '../../../src/core/defined.ts'
import { rowOf, rowsOf, tokenOf } from '../ledger.ts'
import { openBodies, saying } from '../world/sim-kind.ts'
import type { Site } from '../world/sim-site.ts'
import type { Stage } from './stage.ts'
import { forget, noteWrite, write } from './write.ts'

const rootOf = (family: number) => `root-${family}`

/** What is current there of the facts of a family; undefined where there are none. */
function currentOf(site: Site, family: number): string | undefined {
  const facts = rowsOf(site.disk, 0).filter((row) => row.kind === 'fact' && familyOf(row) === family)
  const { reader } = site.run().access
  const current = new Set(reader.query({ kind: 'fact', limit: 1000 }).records.map(({ id }) => id))
  return facts.findLast(({ id }) => current.has(id))?.id
}

function familyOf(row: { readonly kind: string; readonly id: string; readonly body: string }): number {
  const { schema } = openBodies.readOrThrow(row, row.body)
  return Number(String(schema).replace('family-', ''))
}

/** Supersedes what is current there, as the verb of facts does, or begins the succession. */
export async function supersede(stage: Stage, site: Site, family: number): Promise<void> {
  const token = stage.ledger.token()
  const current = currentOf(site, family)
  const root = rootOf(family)
  const isBegun = current !== undefined || rowOf(site.disk, root) !== undefined
  const id = isBegun ? `fact-${token}` : root
  const body = { schema: `family-${family}`, data: { text: token }, verified: false }
  const supersedes = defined({ supersedes: current })
  await write(stage, site, token, (records) =>
    records.put({ kind: 'fact', id, body: { ...body, ...supersedes }, scope: { agent: token } }),
  )
  const before = id === root ? rowOf(site.disk, root) : undefined
  const saw = before && tokenOf(before) !== token ? tokenOf(before) : undefined
  noteWrite(stage, site, { token, op: 'put', record: id, kind: 'fact', saw })
}

/** Forgets what is current there: what it stood in the place of is current again. */
export async function retract(stage: Stage, site: Site, family: number): Promise<void> {
  const current = currentOf(site, family)
  if (current !== undefined) await forget(stage, site, current)
}

/** Writes what is current there anew, sealed. */
export async function sealFact(stage: Stage, site: Site, family: number): Promise<void> {
  const record = currentOf(site, family)
  const before = record === undefined ? undefined : rowOf(site.disk, record)
  if (record === undefined || !before) return
  const token = stage.ledger.token()
  const body = saying('fact', openBodies.readOrThrow(before, before.body), token)
  const scope = { agent: token, sensitivity: 'sensitive' } as const
  await write(stage, site, token, (records) => records.put({ kind: 'fact', id: record, body, scope }))
  noteWrite(stage, site, { token, op: 'put', record, kind: 'fact', saw: tokenOf(before) })
}
