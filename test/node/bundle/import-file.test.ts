// Files of other tools: a dry run stores nothing, options that are for bundles are refused, and times are kept.
import { expect, it } from 'vitest'
import { DaybookError } from '../../../src/core/errors.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { failure } from '../../contract/book-case.ts'

const open = () => openDaybook({ name: 'files', path: ':memory:' })
const chat = JSON.stringify({
  messages: [
    { role: 'user', content: 'Where do I live?' },
    { role: 'assistant', content: 'In Porto.' },
  ],
})
const run = JSON.stringify({
  trajectory: [{ action: 'ls', observation: 'a.txt', response: 'look', thought: 'look' }],
  info: {},
})

it.each([
  ['a chat', chat, 2],
  ['a trajectory', run, 1],
])('says what an import of %s would bring, and stores nothing', async (_what, text, count) => {
  await using book = await open()
  expect(await book.import(text, { dryRun: true })).toMatchObject({
    imported: count,
    skipped: 0,
    dryRun: true,
  })
  expect((await book.stats()).total).toBe(0)
  expect(await book.import(text)).toMatchObject({ imported: count, dryRun: false })
  expect(await book.import(text, { dryRun: true })).toMatchObject({ imported: 0, skipped: count })
  expect((await book.stats()).total).toBe(count)
})

it.each(['warn', 'seal', 'mask', 'off'] as const)(
  'a dry run answers as the import does, with its secrets too (%s)',
  async (secrets) => {
    await using book = await openDaybook({ name: 'files', path: ':memory:', secrets })
    const messages = [{ role: 'user', content: `My key is AKIA${'QWERTYUIOPASDFGH'}` }]
    const text = JSON.stringify({ messages })
    const tried = await book.import(text, { dryRun: true })
    expect((await book.stats()).total).toBe(0)
    const done = await book.import(text)
    expect({ ...tried, dryRun: false }).toEqual(done)
    expect(done.secrets).toHaveLength(secrets === 'off' ? 0 : 1)
  },
)

it('a dry run refuses the record that the import refuses', async () => {
  await using book = await open()
  const text = run.replace('a.txt', 'x'.repeat(5_000_000))
  const refusals = [await failure(book.import(text, { dryRun: true })), await failure(book.import(text))]
  const [tried, done] = refusals.map(({ code, details }) => [code, details['path']])
  expect(tried).toEqual(done)
  expect(done?.[0]).toBe('too-large')
})

it('refuses options of a bundle for a file that is none', async () => {
  await using book = await open()
  for (const [option, value] of [
    ['mode', 'replace'],
    ['kinds', ['trace']],
    ['passphrase', 'a long passphrase'],
    ['signedBy', 'did:key:z6Mk'],
  ] as const) {
    expect(await failure(book.import(chat, { [option]: value }))).toMatchObject({
      code: 'invalid-input',
      details: { path: expect.stringMatching(new RegExp(`^(?:options\\.)?${option}$`)) as string },
    })
  }
  expect((await book.stats()).total).toBe(0)
})

it('keeps when a memory of mem0 was made and changed', async () => {
  await using book = await open()
  const results = [
    {
      id: 'a',
      memory: 'Likes tea',
      created_at: '2024-05-01T10:00:00-07:00',
      updated_at: '2025-06-01T00:00:00Z',
    },
    { id: 'b', memory: 'Lives in Porto', created_at: '2024-07-01T00:00:00Z', updated_at: null },
    { id: 'c', memory: 'Has a dog', updated_at: '2024-08-01T00:00:00Z' },
  ]
  await book.import(JSON.stringify({ results }))
  const { records } = await book.perceptions.query({ orderBy: 'created_at' })
  expect(records.map(({ content, created_at, updated_at }) => [content, created_at, updated_at])).toEqual([
    ['Likes tea', '2024-05-01T17:00:00.000Z', '2025-06-01T00:00:00.000Z'],
    ['Lives in Porto', '2024-07-01T00:00:00.000Z', '2024-07-01T00:00:00.000Z'],
    ['Has a dog', '2024-08-01T00:00:00.000Z', '2024-08-01T00:00:00.000Z'],
  ])
  expect((await book.recall({ text: 'tea', at: '2024-06-01' })).hits).toHaveLength(1)
})

it('says what to do once, also about an error that came of another', () => {
  const inner = new DaybookError('offline')
  expect(new DaybookError('offline', inner.message).message).toBe(inner.message)
  const outer = new DaybookError('embedder-failed', inner.message)
  expect(outer.message.match(/Nothing is lost/g)).toHaveLength(1)
})

const chatGptNode = (id: string, parent: string | null, role: string, text: string) => ({
  id,
  parent,
  message: { id, author: { role }, create_time: 1.7e9, content: { content_type: 'text', parts: [text] } },
})

it('takes all branches of a ChatGPT conversation, the shown one first, and counts what it leaves out', async () => {
  await using book = await open()
  const nodes = [
    chatGptNode('a', null, 'system', 'Be brief'),
    chatGptNode('b', 'a', 'user', 'What is up?'),
    chatGptNode('c', 'b', 'assistant', 'Answer one'),
    chatGptNode('d', 'c', 'user', 'My dog is called Bello'),
    chatGptNode('e', 'b', 'assistant', 'Answer two'),
  ]
  const mapping = Object.fromEntries(nodes.map((node) => [node.id, node]))
  const text = JSON.stringify([{ id: 'cv', title: 'T', create_time: 1.7e9, mapping, current_node: 'e' }])
  const result = await book.import(text)
  expect(result).toMatchObject({ imported: 4, skipped: 0, omitted: { system: 1 } })
  expect(result.ids).toEqual(['chatgpt::b', 'chatgpt::e', 'chatgpt::c', 'chatgpt::d'])
  expect(await book.records.get({ id: 'chatgpt::d' })).toMatchObject({ metadata: { branch: 'other' } })
  expect(await book.records.get({ id: 'chatgpt::e' })).not.toMatchObject({ metadata: { branch: 'other' } })
  expect(await book.import(text)).toMatchObject({ imported: 0, skipped: 4 })
})

it('keeps numbers, pictures and refusals of a chat', async () => {
  await using book = await open()
  const call = (args: string) => [{ id: args, function: { name: 'pay', arguments: args } }]
  const large = '{"account":12345678901234567890}'
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'Look' }, { type: 'image_url' }] },
    { role: 'assistant', content: null, refusal: 'I can not see it' },
    { role: 'assistant', content: null, tool_calls: call(large) },
    { role: 'assistant', content: null, tool_calls: call('{"sum":12.5,"to":"12345678901234567890"}') },
  ]
  expect(await book.import(JSON.stringify(messages))).toMatchObject({ imported: 4 })
  const said = (await book.records.query({ kind: 'message' })).records
    .map((one) => JSON.stringify(one))
    .join()
  expect(said).toContain('Look\\n[image_url]')
  expect(said).toContain('I can not see it')
  const inputs = (await book.traces.query({ orderBy: 'id' })).records.map(({ action }) => action)
  expect(JSON.stringify(inputs)).toContain(JSON.stringify(large).slice(1, -1))
  expect(JSON.stringify(inputs)).toContain('"sum":12.5')
})

it('pairs the calls of a chat with their own answers, and counts what belongs to none', async () => {
  await using book = await open()
  const calling = (id: string | undefined, name: string) => ({ id, function: { name, arguments: '{}' } })
  const messages = [
    { role: 'user', content: 'Look it up' },
    {
      role: 'assistant',
      content: 'I look',
      reasoning_content: 'hm',
      tool_calls: [calling(undefined, 'alone')],
    },
    { role: 'user', content: 'And now?' },
    { role: 'assistant', content: null, function_call: { name: 'older', arguments: '{"a":1}' } },
    { role: 'function', name: 'older', content: 'of older' },
    { role: 'assistant', content: null, tool_calls: [calling(undefined, 'one'), calling(undefined, 'two')] },
    { role: 'tool', content: 'of one' },
    { role: 'tool', content: 'of two' },
    { role: 'assistant', content: null, tool_calls: [calling('x', 'first')] },
    { role: 'tool', tool_call_id: 'x', content: 'of first' },
    { role: 'assistant', content: null, tool_calls: [calling('x', 'second')] },
    { role: 'tool', tool_call_id: 'x', content: 'of second' },
    { role: 'tool', tool_call_id: 'y', content: 'of nobody' },
    { role: 'function', name: 'older', content: 'too late' },
  ]
  const { omitted } = await book.import(JSON.stringify(messages))
  expect(omitted).toEqual({ reasoning_content: 1, tool: 1, function: 1 })
  const { records } = await book.traces.query({ orderBy: 'id' })
  const outcomes = records.map(({ action, result }) => [action?.type, JSON.stringify(result?.outcome)])
  expect(Object.fromEntries(outcomes)).toEqual({
    alone: undefined,
    older: expect.stringContaining('of older'),
    one: expect.stringContaining('of one'),
    two: expect.stringContaining('of two'),
    first: expect.stringContaining('of first'),
    second: expect.stringContaining('of second'),
  })
})

it('takes a file for what `format` says', async () => {
  await using book = await open()
  const note = '# Tea\n\nGreen, in the morning.\n'
  expect(await failure(book.import(note))).toMatchObject({ code: 'invalid-file' })
  expect(await book.import(note, { format: 'markdown' })).toMatchObject({ format: 'markdown', imported: 1 })
  const error = await failure(book.import(note, { format: 'word' as never }))
  expect(error).toMatchObject({ code: 'invalid-input', details: { path: 'format' } })
  expect(error.message).toContain('claude-code')
})

it('reads headings and fences of Markdown as CommonMark does', async () => {
  await using book = await open()
  const lines = [
    '--- ',
    'title: "Notes"',
    '--- ',
    '# Learn C#',
    '```md',
    '# No heading',
    '```js',
    '# None either',
    '```',
    '## Closed ##  ',
    'text',
    '```a `` b',
    '# After what is no fence',
    '#',
    '# #',
  ]
  await book.import(lines.join('\r\n'), { format: 'markdown' })
  const { records } = await book.facts.query({ orderBy: 'id' })
  expect(records.map(({ data }) => [data['title'], data['line']])).toEqual([
    ['Learn C#', 4],
    ['Learn C# / Closed', 10],
    ['After what is no fence', 13],
  ])
  expect(records[0]?.data).toMatchObject({
    front_matter: { title: 'Notes' },
    text: expect.stringContaining('# None either'),
  })
})

it('reads underlined headings of Markdown, and no heading in a comment', async () => {
  await using book = await open()
  const lines = [
    'Garden',
    '======',
    'Roses.',
    '',
    'Water',
    '---',
    '12 mm.',
    '<!-- # One -->',
    '<!--',
    '# Hidden',
    '',
    'Underlined',
    '---',
    '-->',
    '- item',
    '---',
    'Two lines',
    'of text',
    '---',
    '',
    '---',
    '---',
    '# Kitchen',
    '### Oven',
    '***',
  ]
  await book.import(lines.join('\n'), { format: 'markdown' })
  const { records } = await book.facts.query({ orderBy: 'id' })
  expect(records.map(({ data }) => [data['title'], data['line']])).toEqual([
    ['Garden', 1],
    ['Garden / Water', 5],
    ['Kitchen', 23],
  ])
  expect(records[1]?.data).toMatchObject({ text: lines.slice(6, 22).join('\n') })
  expect(records[2]?.data).toMatchObject({ text: '### Oven\n***' })
})

it('counts what of a session of Claude Code belongs to no call', async () => {
  await using book = await open()
  const said = (type: string, uuid: string, content: unknown) => {
    return { type, uuid, sessionId: 's', timestamp: '2025-01-01T00:00:00Z', message: { role: type, content } }
  }
  const lines = [
    said('user', '1', 'Build it'),
    said('assistant', '2', [
      { type: 'tool_use', id: 't', name: 'build', input: {} },
      { type: 'tool_use', id: 'u' },
    ]),
    said('user', '3', [
      { type: 'tool_result', tool_use_id: 't', content: 'built' },
      { type: 'tool_result', tool_use_id: 'cut off before', content: 'of nobody' },
      { type: 'tool_result', content: 'of nobody' },
    ]),
  ]
  const { imported, omitted } = await book.import(lines.map((line) => JSON.stringify(line)).join('\n'))
  expect({ imported, omitted }).toEqual({ imported: 2, omitted: { tool_use: 1, tool_result: 2 } })
})

it('gives each call of Claude Code the answer that came after it, and counts the others', async () => {
  await using book = await open()
  const said = (type: string, uuid: string, part: object) => {
    const message = { role: type, content: [part] }
    return { type, uuid, sessionId: 's', timestamp: '2025-01-01T00:00:00Z', message }
  }
  const call = (uuid: string, id: string, name: string) =>
    said('assistant', uuid, { type: 'tool_use', id, name, input: {} })
  const answer = (uuid: string, id: string, content: string) =>
    said('user', uuid, { type: 'tool_result', tool_use_id: id, content })
  const lines = [
    answer('1', 'late', 'before its call'),
    call('2', 'late', 'unanswered'),
    call('3', 'x', 'first'),
    answer('4', 'x', 'of first'),
    answer('4', 'x', 'of first'),
    call('5', 'x', 'second'),
    answer('6', 'x', 'of second'),
    answer('7', 'x', 'once more'),
  ]
  const { omitted } = await book.import(lines.map((line) => JSON.stringify(line)).join('\n'))
  expect(omitted).toEqual({ tool_result: 2 })
  const { records } = await book.traces.query({})
  const outcomes = records.map(({ action, result }) => [action?.type, result?.outcome?.['observation']])
  expect(Object.fromEntries(outcomes)).toEqual({
    unanswered: undefined,
    first: 'of first',
    second: 'of second',
  })
})

it('gives no call of ChatGPT an answer from after the next words of the user', async () => {
  await using book = await open()
  const steps = [
    { id: 'a', role: 'user', text: 'Draw' },
    { id: 'b', role: 'assistant', text: 'a cat', recipient: 'painter' },
    { id: 'c', role: 'user', text: 'Stop' },
    { id: 'd', role: 'tool', text: 'of something else' },
  ]
  const nodes = steps.map(({ id, role, text, recipient = 'all' }, i) => {
    const content = { content_type: 'text', parts: [text] }
    return [id, { parent: steps[i - 1]?.id, message: { id, author: { role }, recipient, content } }] as const
  })
  const mapping = Object.fromEntries(nodes)
  const { omitted } = await book.import(JSON.stringify([{ id: 'x', current_node: 'd', mapping }]))
  expect(omitted).toEqual({ tool: 1 })
  const { records } = await book.traces.query({})
  expect(records.map(({ action, result }) => [action?.type, result])).toEqual([['painter', undefined]])
})

it.each([true, false])('counts what comes under the id of another, dry run %j', async (isTrial) => {
  await using book = await open()
  const results = ['Likes tea', 'Likes tea', 'Likes coffee'].map((memory) => ({ id: 'a', memory }))
  const result = await book.import(JSON.stringify({ results }), { dryRun: isTrial })
  expect(result).toMatchObject({ imported: 1, skipped: 0, ids: ['mem0::a'], omitted: { repeated_id: 1 } })
})

it.each(['', ' \n', new Blob([])])('says that a file is empty: %j', async (source) => {
  await using book = await open()
  const error = await failure(book.import(source, { name: 'chat.json' }))
  expect(error).toMatchObject({ code: 'invalid-file', details: { file: 'chat.json' } })
  expect(error.message).toContain('The file is empty')
})

it.each([undefined, null, 7, {}])('refuses %j as what is to be imported or verified', async (source) => {
  await using book = await open()
  for (const call of [book.import(source as never), book.verify(source as never)])
    expect(await failure(call)).toMatchObject({ code: 'invalid-input', details: { path: 'source' } })
})

it('knows a session of Claude Code by its summary, and counts what it leaves out', async () => {
  await using book = await open()
  const at = '2025-01-01T00:00:00Z'
  const said = (type: string, uuid: string, content: unknown) => ({
    type,
    uuid,
    sessionId: 's',
    timestamp: at,
    message: { role: type, content },
  })
  const lines = [
    { type: 'summary', summary: 'S', leafUuid: '2' },
    said('user', '1', [{ type: 'text', text: 'Build it' }, { type: 'image' }]),
    said('assistant', '2', [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'Done' },
    ]),
  ]
  const text = lines.map((line) => JSON.stringify(line)).join('\n')
  expect(await book.import(text)).toMatchObject({
    format: 'claude-code',
    imported: 2,
    omitted: { summary: 1, image: 1, thinking: 1 },
  })
})

it('skips the steps of a trajectory that were forgotten', async () => {
  await using book = await open()
  const { ids = [] } = await book.import(run)
  await book.traces.forget({ id: ids[0] ?? '' })
  expect(await book.import(run)).toMatchObject({ imported: 0, skipped: 1 })
  expect((await book.stats()).total).toBe(0)
})

it('names no session of a file with several chats', async () => {
  await using book = await open()
  const several = await book.import(`${chat}\n${chat}`, { name: 'all.jsonl' })
  expect(several).toMatchObject({ imported: 4 })
  expect(several).not.toHaveProperty('session')
  const one = await book.import(chat, { name: 'one.json' })
  expect((await book.records.query({ filters: { session: one.session } })).records).toHaveLength(2)
})

it('takes the last text of the user as the goal of a call, not an empty one', async () => {
  await using book = await open()
  const goals = async () => (await book.traces.query()).records.map(({ task }) => task.goal)
  const messages = [
    { role: 'user', content: 'Pay the rent' },
    { role: 'user', content: '' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'pay' } }] },
  ]
  await book.import(JSON.stringify({ messages }))
  expect(await goals()).toEqual(['Pay the rent'])
  const toolCall = (id: string, parent: string) => {
    const { message, ...node } = chatGptNode(id, parent, 'assistant', '{}')
    return { ...node, message: { ...message, recipient: 'browser' } }
  }
  const nodes = [
    chatGptNode('a', null, 'user', 'Pay the rent'),
    chatGptNode('b', 'a', 'user', ''),
    toolCall('c', 'b'),
    toolCall('d', 'b'),
  ]
  const mapping = Object.fromEntries(nodes.map((node) => [node.id, node]))
  await book.import(JSON.stringify([{ id: 'cv', create_time: 1.7e9, mapping, current_node: 'c' }]))
  expect(await goals()).toEqual(['Pay the rent', 'Pay the rent', 'Pay the rent'])
})

const claudeLine = (uuid: string, content: unknown, more: object = {}) =>
  JSON.stringify({
    type: 'user',
    uuid,
    sessionId: 's1',
    timestamp: '2026-01-01T00:00:00Z',
    message: { content },
    ...more,
  })

it('counts a reused id of Claude Code, leaves out summaries, and gives each line its own session', async () => {
  await using book = await open()
  const toolUse = (id: string) => [{ type: 'tool_use', id, name: 'look', input: {} }]
  const lines = [
    claudeLine('1', 'First'),
    claudeLine('1', 'First'),
    claudeLine('1', 'Another text'),
    claudeLine('2', 'The story so far', { isCompactSummary: true }),
    claudeLine('3', toolUse('a'), { type: 'assistant' }),
    claudeLine('4', 'Second', { sessionId: 's2' }),
    claudeLine('5', toolUse('b'), { type: 'assistant', sessionId: 's2' }),
  ]
  const result = await book.import(lines.join('\n'))
  expect(result).toMatchObject({ imported: 4, omitted: { repeated_id: 1, summary: 1 } })
  expect(result).not.toHaveProperty('session')
  const { records: messages } = await book.records.query({ kind: 'message', orderBy: 'id' })
  expect(messages.map(({ session }) => session)).toEqual(['claude-code:s1', 'claude-code:s2'])
  const { records: traces } = await book.traces.query({ orderBy: 'id' })
  expect(traces.map(({ session, task, metadata }) => [session, task.goal, metadata.linked_traces])).toEqual([
    ['claude-code:s1', 'First', []],
    ['claude-code:s2', 'Second', []],
  ])
})

it('keeps the end and all fields of a memory of mem0, and counts relations', async () => {
  await using book = await open()
  const results = [
    { id: 'a', memory: 'Likes tea', expiration_date: '2020-01-01', immutable: true, app_id: 'shop' },
    { id: 'b', memory: 'Likes green tea', expiration_date: 'soon' },
  ]
  const text = JSON.stringify({ results, relations: [{ source: 'a' }, { source: 'b' }], count: 2 })
  expect(await book.import(text)).toMatchObject({ imported: 2, omitted: { relations: 2 } })
  const { hits } = await book.recall({ text: 'tea' })
  expect(hits.map(({ record }) => record.id)).toEqual(['mem0::b'])
  expect(await book.records.get({ id: 'mem0::a' })).toMatchObject({
    valid_until: '2020-01-01T23:59:59.999Z',
    imported: { from: 'mem0', expiration_date: '2020-01-01', immutable: true, app_id: 'shop' },
  })
})

it('imports custom tool calls of a chat, and counts calls of unknown types', async () => {
  await using book = await open()
  const messages = [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c', type: 'custom', custom: { name: 'run', input: '42' } },
        { id: 'd', type: 'future', future: {} },
      ],
    },
    { role: 'tool', tool_call_id: 'c', content: 'done' },
  ]
  expect(await book.import(JSON.stringify(messages))).toMatchObject({ imported: 1, omitted: { future: 1 } })
  expect((await book.traces.query()).records[0]).toMatchObject({
    action: { type: 'run', parameters: { input: '42' } },
    result: { outcome: { observation: 'done' } },
  })
  const broken = [{ role: 'assistant', tool_calls: [{ id: 'c', type: 'function' }] }]
  expect(await failure(book.import(JSON.stringify(broken)))).toMatchObject({ code: 'invalid-file' })
})

it.each([
  ['lines', `${chat}\n${chat}`],
  ['a trajectory', run],
])('imports %s with a byte order mark as without it', async (_what, text) => {
  await using book = await open()
  const { ids } = await book.import(`\uFEFF${text}`)
  expect(await book.import(text)).toMatchObject({ imported: 0, ids })
  expect(await book.import(new Blob([`\uFEFF${text}`]))).toMatchObject({ imported: 0, ids })
})

const large = 'a'.repeat(2_000_000)
it.each([
  ['notes.md', `# Small\n\nText\n\n# Large\n\n${large}`, 'line 5'],
  [
    's.jsonl',
    `${claudeLine('1', 'Hi')}\n${claudeLine('2', [{ type: 'tool_use', id: 'a', name: 'x', input: { large } }], { type: 'assistant' })}`,
    'line 2',
  ],
  [
    'fix.traj',
    JSON.stringify({ trajectory: [{ action: 'ls' }, { action: 'ls', observation: large }] }),
    'step 2',
  ],
  ['m.json', JSON.stringify({ results: [{ id: 'a', memory: 'x', metadata: { large } }] }), 'results.0'],
])('names the place of a record of %s that is too large', async (name, text, path) => {
  await using book = await open()
  const error = await failure(book.import(text, { name }))
  expect(error).toMatchObject({ code: 'too-large', details: { file: name, path } })
  expect(error.message).toContain(`${name}, ${path}: The record is larger than`)
  expect((await book.stats()).total).toBe(0)
})
