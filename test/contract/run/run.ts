// Runs: what traces and messages of one session are together, from the first step to the last.
import { expect, it } from 'vitest'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'

export function runCases({ book: open }: BookCase): void {
  it('lists the runs of a book, latest first, with what was done and said in each and how it ended', async () => {
    const book = await open()
    const at = (minute: number) => `2026-01-31T10:0${minute}:00.000Z`
    const failed = { success: false, outcome: { error: 'No such file' } }
    await book.traces.store(
      makeTrace({ session: 'mend', timestamp: at(1), task: { goal: 'Mend  the\nparser' } }),
    )
    const { id } = await book.traces.store(makeTrace({ session: 'mend', timestamp: at(2), result: failed }))
    await book.traces.store(makeTrace({ session: 'mend', timestamp: at(4) }))
    await book.traces.store(makeTrace({ timestamp: at(9) }))
    const source = { type: 'User' } as const
    await book.conversation.store({
      session: 'talk',
      message: { content: 'Hello there', source, timestamp: at(5) },
    })
    await book.conversation.store({
      session: 'mend',
      message: { content: 'It works', source, timestamp: at(3) },
    })
    const { total, runs } = await book.runs.list()
    expect(total).toBe(2)
    expect(runs[0]).toMatchObject({
      session: 'talk',
      name: 'Hello there',
      outcome: 'none',
      steps: 0,
      messages: 1,
    })
    expect(runs[1]).toEqual({
      session: 'mend',
      name: 'Mend the parser',
      agent: runs[0]?.agent,
      steps: 3,
      failed: 1,
      messages: 1,
      outcome: 'succeeded',
      failedStep: id,
      startedAt: at(1),
      endedAt: at(4),
      durationMs: 180_000,
    })
    const names = async (query: object) => (await book.runs.list(query)).runs.map(({ session }) => session)
    expect(await names({ orderBy: '-steps' })).toEqual(['mend', 'talk'])
    expect(await names({ orderBy: 'duration' })).toEqual(['talk', 'mend'])
    expect(await names({ failed: false })).toEqual(['talk'])
    expect(await names({ outcome: 'succeeded' })).toEqual(['mend'])
    expect(await names({ outcome: 'none' })).toEqual(['talk'])
    expect(await names({ outcome: 'failed' })).toEqual([])
    expect(await names({ session: 'mend' })).toEqual(['mend'])
    expect(await names({ agent: 'somebody else' })).toEqual([])
    expect(await names({ limit: 1, offset: 1 })).toEqual(['mend'])
    await book.traces.store(makeTrace({ session: 'mend', timestamp: at(6), result: failed }))
    expect(await names({ outcome: 'failed' })).toEqual(['mend'])
    const error = await failure(book.runs.list({ orderBy: 'luck' } as never))
    expect([error.code, error.details]).toMatchObject(['invalid-input', { path: 'orderBy' }])
  })
}
