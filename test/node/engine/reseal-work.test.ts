// The work that seals records again after a change of keys: a step that failed runs again.
import { expect, it } from 'vitest'
import { createResealWork, type ResealWorkParts } from '../../../src/engine/service/reseal-work.ts'
import { createTestTime } from '../../support/test-engine.ts'

it('a step that failed runs again after a minute', async () => {
  const { ports, pass } = createTestTime()
  let steps = 0
  let isEnded = false
  const store = {
    resealing: {
      isBegun: () => !isEnded,
      step: () => false,
      neededKeyIds: () => new Set(),
      end: () => void (isEnded = true),
    },
    writes: {
      write: async (work: () => unknown) => {
        steps += 1
        if (steps === 1) throw new Error('The disk is full.')
        return work()
      },
    },
    purge: { scrub: () => undefined },
  }
  const keychain = {
    state: () => 'open',
    missingKeyCount: () => 0,
    current: () => 'k',
    changeKeys: () => Promise.resolve(),
  }
  const parts = {
    ...ports,
    store,
    keychain,
    isSettled: () => true,
    hasMirror: false,
    progress: () => undefined,
  }
  const work = createResealWork(parts as unknown as ResealWorkParts)
  work.wake()
  await pass(1000)
  expect([steps, isEnded]).toEqual([1, false])
  await pass(60_000)
  expect(isEnded).toBe(true)
  work.close()
})
