// An old thought of a type that only a later Daybook knows, in a book that this Daybook keeps in order.
import { afterEach, expect, it } from 'vitest'
import type { Kind } from '../../../../src/core/kind.ts'
import { thoughtKind } from '../../../../src/memory/continuity/thought/thought-kind.ts'
import { bundleOf } from '../../../support/bundle-source.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { closeSites, openSite } from '../conversation/site.ts'

afterEach(closeSites)

it('stays, while the persona is archived, and its session and the days of the next persona are finished', async () => {
  const { ports, pass } = createTestTime()
  const { book } = openSite(ports)
  const { scope: own } = await book.personas.register({ name: 'Alice' })
  const alice = book.with(own)
  const bob = book.with((await book.personas.register({ name: 'Bob' })).scope)
  await alice.thoughts.remember({ content: 'Nothing much.', context: 'trivial' })
  const timestamp = new Date(ports.clock.now()).toISOString()
  const newer = {
    id: '01a2256b-a66b-706d-9d1e-9759d209c1ff',
    kind: 'thought',
    ver: 1,
    created_at: timestamp,
    updated_at: timestamp,
    agent: own.agent,
    type: 'feeling',
    content: 'As from later.',
    importance: 0,
    timestamp,
  }
  await book.import(await bundleOf([newer as never], [thoughtKind as unknown as Kind], ports))
  expect((await book.records.query({ kind: 'thought' })).records).toHaveLength(2)
  await pass(20 * 86_400_000)
  const { scope } = await alice.sessions.start()
  await bob.thoughts.learn({ knowledge: 'Water is wet.' })
  expect(await book.with(scope).sessions.end()).toMatchObject({ state: 'ended', archived: 1 })
  expect((await alice.days.consolidate()).retained).toEqual({ sealed: 1 })
  expect(
    (await book.records.query({ kind: 'thought', filters: { agent: own.agent } })).records,
  ).toMatchObject([{ type: 'feeling', content: 'As from later.' }])
  expect((await book.sessions.upkeep()).consolidated).toHaveLength(1)
})
