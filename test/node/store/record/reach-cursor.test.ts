// Pages of somebody who does not see everything: what a cursor tells, and that it outlives what it was made at.
import { afterEach, describe, expect, it } from 'vitest'
import { readReach } from '../../../../src/core/access/reach.ts'
import { makeKind, openTestStore, type TestStore } from '../../../support/test-store.ts'

const opened: TestStore[] = []
afterEach(() => {
  for (const store of opened.splice(0)) store.db.close()
})

/** A page of what agent `a` has, of two; between them lies one of agent `b`, where there is one. */
function openPaged(isOutside: boolean) {
  const store = openTestStore([makeKind({ name: 'note', text: ['goal'] })])
  opened.push(store)
  const put = (id: string, agent: string) => store.put({ goal: 'red' }, { id, kind: 'note', agent })
  put('in-1', 'a')
  if (isOutside) put('out', 'b')
  put('in-2', 'a')
  const queries = store.queries.within(readReach({ scope: 'agent:a' }) ?? expect.unreachable())
  const own = store.queries.query({ limit: 1 }).cursor ?? ''
  return { store, put, queries, own, cursor: queries.query({ limit: 1 }).cursor ?? '' }
}

describe('a page of a narrowed store', () => {
  it('takes no cursor of somebody who sees more', () => {
    const { queries, own, cursor } = openPaged(true)
    expect(decodeURIComponent(cursor)).toContain('"in-2"')
    expect(queries.query({ cursor }).records.map(({ id }) => id)).toEqual(['in-1'])
    for (const one of [own, cursor.replace('%22in-2%22', '3')])
      expect(() => queries.query({ cursor: one })).toThrow(/belongs to another query/)
  })

  it('answers a cursor that names what is outside as if nothing had ever had that id', () => {
    const [present, absent] = [openPaged(true), openPaged(false)]
    const page = ({ queries, cursor }: typeof present, id: string) =>
      queries.query({ cursor: cursor.replace('in-2', id) }).records.map((one) => one.id)
    for (const id of ['out', 'nobody', 'a', 'in-1z'])
      expect([id, page(present, id)]).toEqual([id, page(absent, id)])
  })

  it('goes on after a record that was forgotten or taken out of its sight between two pages', () => {
    for (const leave of ['forget', 'move'] as const) {
      const { store, put, queries, cursor } = openPaged(true)
      if (leave === 'forget') store.forget('in-2')
      else put('in-2', 'b')
      expect(queries.query({ cursor }).records.map(({ id }) => id)).toEqual(['in-1'])
    }
  })
})
