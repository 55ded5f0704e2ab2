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

  const chat = [
    { role: 'user', content: 'What is the weather in Paris?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: '18 degrees and clear' },
    { role: 'assistant', content: [{ type: 'text', text: 'It is 18 degrees in Paris.' }] },
  ]
  const claude = [
    { type: 'file-history-snapshot', messageId: 'm-0' },
    {
      type: 'user',
      uuid: 'u-1',
      sessionId: 's-1',
      timestamp: '2026-01-05T10:00:00Z',
      message: { content: 'Fix it' },
    },
    {
      ...{
        type: 'assistant',
        uuid: 'u-2',
        sessionId: 's-1',
        timestamp: '2026-01-05T10:00:01Z',
        cwd: '/repo',
      },
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'Running the tests' },
          { type: 'tool_use', id: 't-1', name: 'Bash', input: { command: 'npm test' } },
        ],
      },
    },
    {
      ...{ type: 'user', uuid: 'u-3', sessionId: 's-1', timestamp: '2026-01-05T10:00:05Z' },
      message: {
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't-1',
            content: [{ type: 'text', text: 'failed' }],
            is_error: true,
          },
        ],
      },
    },
  ]
  const mem0 = {
    results: [
      {
        id: 'a1',
        memory: 'Prefers oolong tea',
        user_id: 'ada',
        created_at: '2025-07-01T10:00:00-07:00',
        metadata: {},
      },
    ],
  }
  const note =
    '---\ntitle: Garden\n---\n# Beds\n\nTomatoes in the south bed.\n\n## Water\n\n```\n# not a heading\n```\nEvery evening.'
  const lines = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join('\n')
  const good: [format: string, name: string, text: string, kinds: string[], question: string][] = [
    [
      'openai-chat',
      'a.json',
      JSON.stringify({ messages: chat }),
      ['message', 'trace', 'message'],
      'weather Paris',
    ],
    [
      'openai-chat-lines',
      'a.jsonl',
      lines([{ messages: chat }, { messages: chat.slice(0, 1) }]),
      ['message', 'trace', 'message', 'message'],
      'degrees clear',
    ],
    ['claude-code', 's.jsonl', lines(claude), ['message', 'message', 'trace'], 'npm test'],
    ['mem0', 'm.json', JSON.stringify(mem0), ['perception'], 'oolong tea'],
    ['markdown', 'garden.md', note, ['fact', 'fact'], 'tomatoes south bed'],
  ]
  it.each(good)(
    'imports %s, tells it by its content, and takes it once',
    async (format, name, text, kinds, question) => {
      const book = await open()
      const first = await book.import(text, { name })
      expect(first).toMatchObject({ format, imported: kinds.length, skipped: 0 })
      const records = await Promise.all(first.ids.map((id) => book.records.get({ id })))
      expect(records.map((record) => record?.kind)).toEqual(kinds)
      expect((await book.recall({ text: question })).hits.length).toBeGreaterThan(0)
      expect(await book.import(text, { name })).toMatchObject({ imported: 0, skipped: kinds.length })
    },
  )

  it('pairs tool calls with their answers, and keeps the times of a session', async () => {
    const book = await open()
    const { session } = await book.import(lines(claude), { name: 's.jsonl' })
    const { records } = await book.traces.query({ filters: { session } })
    expect(records[0]).toMatchObject({
      timestamp: '2026-01-05T10:00:01.000Z',
      task: { goal: 'Fix it' },
      action: { type: 'Bash', parameters: { command: 'npm test' } },
      result: { success: false, outcome: { observation: 'failed' } },
    })
  })

  it.each([
    ['chat', 'a.json', '{"messages":[{"role":"user","content":"a"},{"role":"robot"}]}', /messages\.1\.role/],
    ['session', 's.jsonl', `${lines(claude)}\n{"type":`, /line 5/],
    ['session time', 's.jsonl', lines([{ ...claude[1], timestamp: 'noon' }]), /line 1\.timestamp/],
    ['mem0', 'm.json', '{"results":[{"id":"a","memory":"x"},{"id":"b","memory":7}]}', /results\.1\.memory/],
    ['unknown', 'x.bin', 'hello', /^$/],
    ['empty note', 'n.md', '\n\n', /^$/],
  ])('refuses a broken %s with file and place, and imports nothing', async (_what, name, text, path) => {
    const book = await open()
    const error = await failure(book.import(text, { name }))
    expect(error).toMatchObject({ code: 'invalid-file', details: { file: name } })
    expect(error.details['path']).toMatch(path)
    expect((await book.stats()).total).toBe(0)
  })
}
