// What the cases of sync share: two devices with one record, what a conflict log says, and the equality of places.
import { expect } from 'vitest'
import type { ConflictEntry } from '../../../src/core/op.ts'
import { type DaybookError, isDaybookError } from '../../../src/core/errors.ts'
import type { Fault, Site, TestDevice, World } from './mirror-world.ts'

export const id = (n: number) => `record-${n}`
export const body = (text: string) => ({ text })
export const textOf = async (site: Site, record = id(1)) => (await site.get(record))?.['text']

/** The error a promise rejects with; fails when it resolves. */
export async function failure(promise: Promise<unknown>): Promise<DaybookError> {
  const error: unknown = await promise.then(
    () => new Error('expected a rejection'),
    (reason: unknown) => reason,
  )
  if (!isDaybookError(error)) throw error
  return error
}

/** What the conflict log of a site says, short: who lost with what. */
export async function losers(site: Site): Promise<string[]> {
  const say = ({ loser }: ConflictEntry) =>
    loser.op === 'forget' ? '(forget)' : String(loser.body?.['text'])
  return (await site.conflicts()).map(say)
}

/** Two devices that both have record 1 of `kind`, saying `first`. */
export async function twoWithOne(world: World, kind: string): Promise<[TestDevice, TestDevice]> {
  const [a, b] = [world.device('a'), world.device('b')]
  await a.put(kind, id(1), body('first'))
  await a.sync()
  await b.sync()
  world.clock.nowMs += 1000
  return [a, b]
}

export async function expectSame(...sites: Site[]): Promise<void> {
  const [first, ...others] = await Promise.all(sites.map((site) => site.all()))
  for (const other of others) expect(other).toEqual(first)
}

/** A word that only texts have which are to go. */
export const secret = 'zanzibar'

/** Every text that a site still has: records, their history, logs, unsent changes. */
export function textsIn(site: Site): Promise<string> {
  return site.look(({ db }) =>
    ['records', 'history', 'conflicts', 'ops', 'applied_requests', 'results']
      .map((table) => JSON.stringify(db.all(`SELECT * FROM ${table}`)))
      .join('\n'),
  )
}

export async function expectClean(...sites: Site[]): Promise<void> {
  for (const site of sites) expect(await textsIn(site)).not.toContain(secret)
}

/** The answer of a mirror that does not state how large an op may be. */
export const asOlderMirror: Fault = async (send) => {
  const { limits: { opBytes: _, ...limits } = { ops: 0, requestBytes: 0 }, ...answer } = await send()
  return { ...answer, limits }
}
