// The page's side of the browser's own language model, against a stand-in for the browser.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createPageModel } from '../../../../src/hosts/browser/model/built-in-model.ts'
import {
  createFakeLanguageModel,
  type FakeLanguageModel,
} from '../../../support/server/fake-language-model.ts'

const page = globalThis as { LanguageModel?: FakeLanguageModel | undefined }
let model = createFakeLanguageModel()
const question = { instruction: 'Summarise.', text: 'A text.' }
/** The used part of a session. */
type Session = { clone(options: object): Promise<unknown>; destroy(): void }

beforeEach(() => {
  vi.useFakeTimers()
  page.LanguageModel = model = createFakeLanguageModel()
})
afterEach(() => {
  vi.useRealTimers()
  page.LanguageModel = undefined
})

/** Calls `change` with each session that the browser creates, and its number from 0. */
function onCreate(change: (session: Session, number: number) => void): void {
  const { create } = model
  let count = 0
  model.create = async (options) => {
    const number = count++
    const session = (await create(options)) as Session
    change(session, number)
    return session
  }
}

it('releases a session that can no longer be cloned', async () => {
  const own = createPageModel({})
  onCreate((session, number) => {
    const { clone } = session
    let calls = 0
    session.clone = (options) =>
      number === 0 && ++calls > 1
        ? Promise.reject(new DOMException('Busy.', 'OperationError'))
        : clone(options)
  })
  expect(await own.answer(1, question)).toMatchObject({ ok: true })
  expect(await own.answer(2, question)).toMatchObject({ ok: true })
  expect([model.created, model.live]).toEqual([2, 1])
  own.close()
  await vi.advanceTimersByTimeAsync(0)
  expect(model.live).toBe(0)
})

it('stops its questions when the book is closed, and starts no timer then', async () => {
  const own = createPageModel({})
  let wasStopped = false
  model.reply = (_text, signal) => {
    signal?.addEventListener('abort', () => (wasStopped = true))
    return new Promise(() => undefined)
  }
  const answer = own.answer(1, question)
  await vi.advanceTimersByTimeAsync(0)
  own.close()
  await vi.advanceTimersByTimeAsync(0)
  expect([wasStopped, model.live]).toEqual([true, 0])
  expect(await answer).toMatchObject({ ok: false, error: { code: 'aborted' } })
  expect(vi.getTimerCount()).toBe(0)
})
