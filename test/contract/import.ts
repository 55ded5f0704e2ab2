// Importing trajectories, as every host must do it.
import { expect, it } from 'vitest'
import { chat, claude, mem0, chatGpt, cPersona, keyed, note } from '../support/foreign-export.ts'
import { makeHistory, makeTrajectory } from '../support/made-trajectory.ts'
import { type BookCase, failure } from './book-case.ts'

const lines = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join('\n')

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
    const { records } = await book.traces.query({ filters: { session }, orderBy: 'timestamp' })
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
    ['chatgpt', 'c.json', JSON.stringify(chatGpt), ['message', 'trace', 'message', 'message'], 'fjord photo'],
    ['cpersona', 'p.jsonl', lines(cPersona), ['message', 'message', 'episode', 'profile'], 'harbour crane'],
    ['keyed-messages', 'k.json', JSON.stringify(keyed), ['message', 'message'], 'lighthouse keeper'],
    ['markdown', 'garden.md', note, ['fact', 'fact'], 'tomatoes south bed'],
  ]
  it.for(good)(
    'imports %s, tells it by its content, and takes it once',
    async ([format, name, text, kinds, question]) => {
      const book = await open()
      const first = await book.import(text, { name })
      expect(first).toMatchObject({ format, imported: kinds.length, skipped: 0 })
      const records = await Promise.all(first.ids.map((id) => book.records.get({ id })))
      expect(records.map((record) => record?.kind)).toEqual(kinds)
      expect((await book.recall({ text: question })).hits.length).toBeGreaterThan(0)
      expect(await book.import(text, { name })).toMatchObject({ imported: 0, skipped: kinds.length })
    },
  )

  const cut: [what: string, text: string, path: string, rest: number][] = [
    ['a memory of a CPersona export', lines(cPersona.filter((_, i) => i !== 2)), 'line 1.memory_count', 3],
    ['the profile at its end', lines(cPersona.slice(0, -1)), 'line 1.has_profile', 3],
    ['a page of a mem0 export', JSON.stringify({ ...mem0, count: 40 }), 'count', 1],
  ]
  it.each(cut)(
    'refuses a file without %s that it says it has, and takes the rest on purpose',
    async (...one) => {
      const [, text, path, rest] = one
      const book = await open()
      expect(await failure(book.import(text, { name: 'cut.jsonl' }))).toMatchObject({
        code: 'incomplete-file',
        details: { file: 'cut.jsonl', path },
      })
      expect((await book.stats()).total).toBe(0)
      expect(await book.import(text, { name: 'cut.jsonl', allowIncomplete: true })).toMatchObject({
        imported: rest,
      })
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

  it('finds a message that was imported when the same one is stored, and what an old memory knew', async () => {
    const book = await open()
    await book.import(lines(cPersona), { name: 'p.jsonl' })
    await book.import(JSON.stringify(keyed), { name: 'k.json' })
    const again = [
      ['agent.sapphy', { id: 'm-1', content: 'anything', source: { User: 'ann' } }],
      ['agent:karin', { id: 'k-1', content: 'anything' }],
    ] as const
    for (const [agent, message] of again)
      expect(await book.conversation.store({ agent, message })).toMatchObject({
        reason: 'duplicate msg_id',
      })
    const { records } = await book.conversation.list({ orderBy: 'timestamp' })
    expect(records.map(({ timestamp, source }) => [timestamp, source.type])).toEqual([
      ['2026-02-01T10:00:00.000Z', 'User'],
      ['2026-02-01T10:00:01.000Z', 'User'],
      ['2026-03-01T00:00:01.000Z', 'Agent'],
      ['2026-03-01T09:00:00.000Z', 'User'],
    ])
    expect(records[2]?.metadata).toEqual({ k: 1 })
    const known = await book.conversation.profile({ agent: 'agent.sapphy', user_id: 'ann' })
    expect(known.facts.map(({ attribute, value }) => `${attribute}: ${value}`).toSorted()).toEqual([
      'home: Oslo',
      'note: sails on Sundays',
    ])
    // What is learned later joins what was known.
    const history = [{ content: 'I live in Bergen.', source: { User: 'ann' }, timestamp: '2026-05-01' }]
    await book.conversation.updateProfile({ agent: 'agent.sapphy', history })
    const now = await book.conversation.profile({ agent: 'agent.sapphy', user_id: 'ann' })
    expect(now.profile).toBe('home: Bergen\nnote: sails on Sundays')
    expect(now.earlier).toMatchObject([{ value: 'Oslo', superseded_by: 'Bergen' }])
    expect((await book.conversation.episodes()).records).toMatchObject([
      { agent: 'agent.sapphy', keywords: ['crane', 'harbour'] },
    ])
  })

  it.each([
    ['chat', 'a.json', '{"messages":[{"role":"user","content":"a"},{"role":"robot"}]}', /messages\.1\.role/],
    ['session', 's.jsonl', `${lines(claude)}\n{"type":`, /line 5/],
    ['session time', 's.jsonl', lines([{ ...claude[1], timestamp: 'noon' }]), /line 1\.timestamp/],
    ['mem0', 'm.json', '{"results":[{"id":"a","memory":"x"},{"id":"b","memory":7}]}', /results\.1\.memory/],
    ['line of CPersona', 'p.jsonl', `${lines(cPersona)}\n{"_type":"mem`, /line 6/],
    [
      'memory of CPersona',
      'p.jsonl',
      lines([cPersona[0], { ...cPersona[1], content: 7 }, ...cPersona.slice(2)]),
      /line 2\.content/,
    ],
    ['key', 'k.json', '{"mem:a:2024-01-01T00:00:00Z:x":"{}","mem:b":"{}"}', /mem:a.*content/],
    [
      'conversation',
      'c.json',
      '[{"mapping":{}},{"mapping":{"a":{"message":{"id":7}}}}]',
      /1\.mapping\.a\.message\.id/,
    ],
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
