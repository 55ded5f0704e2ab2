// Importing trajectories, as every host must do it.
import { expect, it } from 'vitest'
import { makeHistory, makeTrajectory } from '../support/made-trajectory.ts'
import { type BookCase, failure } from './book-case.ts'

export function importCases({ book: open }: BookCase): void {
  it('imports a trajectory: steps in order, linked, in one session, found by recall', async () => {
    const book = await open()
    const told: number[] = []
    book.on('progress', ({ done, total }) => told.push(done / total))
    const file = {
      text: () => Promise.resolve(makeTrajectory()),
      name: 'fix.traj',
      lastModified: Date.UTC(2026, 0, 31, 12),
    }
    const { imported, skipped, session, ids } = await book.import(file)
    expect([imported, skipped, ids.length]).toEqual([3, 0, 3])
    const { records } = await book.traces.query({ filters: { session }, order_by: 'timestamp' })
    expect(records.map(({ id }) => id)).toEqual(ids)
    expect(records.map(({ action }) => action.type)).toEqual(['open', 'open', 'submit'])
    expect(records.map(({ result }) => result?.success)).toEqual([true, false, true])
    expect(records.map(({ metadata }) => metadata.linked_traces)).toEqual([[], [ids[0]], [ids[1]]])
    expect(records[2]?.timestamp).toBe('2026-01-31T12:00:00.000Z')
    expect(records[2]?.result?.outcome).toMatchObject({
      exit_status: 'submitted',
      submission: 'diff --git a b',
    })
    expect(records[0]?.situation.context).toMatchObject({
      file: 'fix.traj',
      step: 1,
      state: { working_dir: '/repo' },
    })
    expect((await book.recall({ text: 'missing colon in parser 1' })).hits[0]?.record.id).toBe(ids[1])
    expect(await book.import(file)).toMatchObject({ imported: 0, skipped: 3, ids })
    expect((await book.traces.count()).total).toBe(3)
  })

  it('imports a file that holds only a history, without its demonstrations', async () => {
    const book = await open()
    const { ids } = await book.import(makeHistory())
    const traces = await Promise.all(ids.map((id) => book.traces.get({ id })))
    expect(
      traces.map((trace) => [trace?.task.goal, trace?.action.type, trace?.result?.outcome['observation']]),
    ).toEqual([
      ['Let us look around', 'ls', 'setup.py'],
      ['That is all.', 'say', ''],
    ])
  })

  const bad: [what: string, text: string, path: RegExp][] = [
    ['no JSON', 'not json', /line 1/],
    ['cut JSON', makeTrajectory().slice(0, 200), /line 1/],
    ['a list', '[]', /^$/],
    ['another shape', '{"trajectory":[{"action":"a"},{"action":7}]}', /^trajectory\.1\.action$/],
    ['no steps', '{"trajectory":[],"history":[{"role":"user","content":"hi"}]}', /^$/],
  ]
  it.each(bad)('refuses %s, naming file and place, and imports nothing', async (_what, text, path) => {
    const book = await open()
    const error = await failure(book.import(text, { name: 'broken.traj' }))
    expect(error.code).toBe('invalid-file')
    expect(error.message).toContain('broken.traj')
    expect(error.details['file']).toBe('broken.traj')
    expect(error.details['path']).toMatch(path)
    expect((await book.traces.count()).total).toBe(0)
  })
}
