// Two devices end one session: their edits merge, and only two different texts are a conflict.
import { expect, it } from 'vitest'
import { settled } from '../../../../src/core/kind.ts'
import type { JsonObject } from '../../../../src/core/json/path.ts'
import { sessionKind } from '../../../../src/memory/continuity/session/session-kind.ts'
import { mergeBodies } from '../../../../src/sync/conflict/merge.ts'

const open = {
  persona: 'mcp_Ada_00000000_1',
  started_at: '2026-01-31T15:00:00.000Z',
  state: 'open',
  device: 'd1',
  in_room: true,
  done: [],
}
const endedByCaller = {
  ...open,
  state: 'ended',
  ended_at: '2026-01-31T16:00:00.000Z',
  end_reason: 'request',
  focus: 'Weeding',
  done: ['snapshot', 'digest', 'consolidation', 'leave'],
  snapshot: 'snapshot::1',
  digests: ['digest::1'],
  archived: 3,
}
const endingByUpkeep = {
  ...open,
  state: 'ending',
  end_reason: 'idle',
  done: ['snapshot', 'digest'],
  snapshot: 'snapshot::2',
  digests: ['digest::2'],
}

const merge = (mine: JsonObject, theirs: JsonObject) => {
  const { body, clashes } = mergeBodies({
    base: open,
    mine,
    theirs,
    rules: sessionKind.merge,
    mineIsLater: true,
  })
  return { body: settled(sessionKind, body), clashes }
}

it('without a conflict if only one of them has a focus, and it stays ended', () => {
  const { body, clashes } = merge(endingByUpkeep, endedByCaller)
  expect(clashes).toEqual([])
  expect(body).toMatchObject({
    state: 'ended',
    ended_at: '2026-01-31T16:00:00.000Z',
    end_reason: 'idle',
    focus: 'Weeding',
    snapshot: 'snapshot::2',
    digests: ['digest::2'],
    archived: 3,
  })
  expect([...(body['done'] as string[])].sort()).toEqual([...endedByCaller.done].sort())
})

it('with a conflict about their two focuses, of which the later stays', () => {
  const { body, clashes } = merge({ ...endingByUpkeep, focus: 'Watering' }, endedByCaller)
  expect(clashes).toEqual(['focus'])
  expect(body).toMatchObject({ state: 'ended', focus: 'Watering' })
})
