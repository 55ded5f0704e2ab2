// The memory tool over a book: what a book adds to it, what it refuses, and what two at once do to one file.
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory'
import { expect, it } from 'vitest'
import { DaybookError } from '../../../../../src/core/errors.ts'
import { daybookMemory } from '../../../../../src/doors/adapter/anthropic/memory.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { failure } from '../../../../contract/book-case.ts'

const open = () => openDaybook({ name: 'm', path: ':memory:' })
const path = '/memories/notes.md'
const file = (text: string, at = path) => ({ command: 'create', path: at, file_text: text }) as const
const edit = (old_str: string, new_str: string) =>
  ({ command: 'str_replace', path, old_str, new_str }) as const

it('finds by recall what a model has remembered, keeps its versions, and forgets what it deletes', async () => {
  await using book = await open()
  const memory = daybookMemory(book)
  await memory.create(file('The user grows tomatoes on the balcony.'))
  await memory.str_replace(edit('tomatoes', 'aubergines'))
  const [hit] = (await book.recall({ text: 'what grows on the balcony' })).hits
  expect(hit?.record).toMatchObject({ kind: 'document', key: 'notes.md' })
  const id = hit?.record.id ?? ''
  const { versions } = await book.records.history({ id })
  expect(versions.map(({ body }) => body?.['value'])).toEqual([
    { text: 'The user grows tomatoes on the balcony.' },
    { text: 'The user grows aubergines on the balcony.' },
  ])
  await book.records.restore({ id, version: 1 })
  expect(await memory.view({ command: 'view', path })).toContain('     1\tThe user grows tomatoes')
  await memory.delete({ command: 'delete', path })
  expect((await book.recall({ text: 'balcony' })).hits).toEqual([])
})

it('takes back the last change, whatever it was, and not what was changed since', async () => {
  await using book = await open()
  const memory = daybookMemory(book)
  expect(await memory.undo()).toBe(false)
  await memory.create(file('one', '/memories/a/1.md'))
  await memory.create(file('two', '/memories/a/b/2.md'))
  const view = () => memory.view({ command: 'view', path: '/memories' })
  const before = await view()
  await memory.rename({ command: 'rename', old_path: '/memories/a', new_path: '/memories/z' })
  expect(await view()).toContain('/memories/z/b/')
  expect(await memory.undo()).toBe(true)
  expect(await view()).toBe(before)
  await memory.delete({ command: 'delete', path: '/memories/a' })
  await daybookMemory(book).create(file('another', '/memories/a/1.md'))
  expect(await failure(memory.undo())).toMatchObject({ code: 'conflict' })
  expect(await memory.view({ command: 'view', path: '/memories/a/1.md' })).toContain('another')
})

it('loses no edit of two agents that edit one file at once', async () => {
  await using book = await open()
  const agents = [daybookMemory(book), daybookMemory(book.with({ agent: 'second' }))]
  await agents[0]?.create(file('top'))
  const insert_text = (agent: number, line: number) => `agent ${agent} line ${line}`
  await Promise.all(
    agents.flatMap((memory, agent) =>
      Array.from({ length: 20 }, (_, line) =>
        memory.insert({ command: 'insert', path, insert_line: 1, insert_text: insert_text(agent, line) }),
      ),
    ),
  )
  const text = (await book.documents.read({ folder: 'memories/', key: 'notes.md' }))?.value['text']
  const lines = String(text).split('\n')
  expect(lines[0]).toBe('top')
  expect(new Set(lines).size).toBe(41)
  const made = await Promise.allSettled(agents.map((memory) => memory.create(file('x', '/memories/new.md'))))
  expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

it('replaces text that goes over several lines, and no text that stands twice in one', async () => {
  await using book = await open()
  const memory = daybookMemory(book)
  await memory.create(file('a\nb\nc c\nd'))
  expect(await memory.str_replace(edit('b\nc', 'B\nC'))).toContain('     2\tB\n     3\tC c')
  const error = await failure(
    memory.str_replace(edit('c', 'x')).then(() => memory.str_replace(edit('', 'x'))),
  )
  expect(error.message).toBe(`No replacement was performed, old_str \`\` did not appear verbatim in ${path}.`)
  await memory.create(file('no no', '/memories/twice.md'))
  const twice = { ...edit('no', 'yes'), path: '/memories/twice.md' }
  expect((await failure(memory.str_replace(twice))).message).toContain('of old_str `no` in lines: 1. Please')
})

it.each([
  ['../x', 'Path must start with /memories, got: ../x'],
  ['/memoriesx/y', 'Path must start with /memories, got: /memoriesx/y'],
  [null, 'Path must start with /memories, got: null'],
  ['/memories/../secret', 'Path /memories/../secret would escape /memories directory'],
  ['/memories/a/../../../etc/passwd', 'would escape /memories directory'],
  ['/memories/%2e%2e/secret', 'would escape /memories directory'],
  ['/memories/%252e%252e%252fsecret', 'would escape /memories directory'],
  ['/memories/..\\secret', 'would escape /memories directory'],
  ['/memories/a\0b', 'would escape /memories directory'],
])('refuses the path %j, and stores nothing', async (bad, message) => {
  await using book = await open()
  const memory = daybookMemory(book)
  const error = await failure(memory.create(file('x', bad as string)))
  expect(error).toBeInstanceOf(DaybookError)
  expect(error).toMatchObject({ code: 'invalid-input', details: { path: 'path' } })
  expect(error.message).toContain(message)
  const moved = { command: 'rename', old_path: path, new_path: bad as string } as const
  expect((await failure(memory.rename(moved))).details).toEqual({ path: 'new_path' })
  expect((await book.stats()).total).toBe(0)
})

it('refuses what is no text, and a file larger than the book takes', async () => {
  await using book = await open()
  const memory = daybookMemory(book)
  const wrong = await failure(memory.create(file(7 as never)))
  expect(wrong).toMatchObject({ code: 'invalid-input', details: { path: 'file_text' } })
  const large = await failure(memory.create(file('x'.repeat(2_000_000))))
  expect(large).toMatchObject({ code: 'too-large', details: { path: 'path', limitBytes: 1_800_000 } })
  expect(large.message).toBe('File /memories/notes.md is too large. Maximum is 1,800,000 bytes.')
  await memory.create(file('x'))
  const insert_text = 'x'.repeat(1_799_999)
  const grown = await failure(memory.insert({ command: 'insert', path, insert_line: 0, insert_text }))
  expect(grown.message).toBe(large.message)
  expect(await memory.view({ command: 'view', path })).toContain('1\tx')
  expect((await failure(memory.create(file('x', `${path}/below.md`)))).message).toBe(
    'The path /memories/notes.md is a file, not a directory.',
  )
  expect((await book.stats()).total).toBe(1)
})

it('keeps the memories of two users apart, and an agent with a token to what it was given', async () => {
  await using book = await open()
  const [alice, bob] = ['alice', 'bob'].map((user) => daybookMemory(book, { folder: `users/${user}` }))
  await alice?.create(file('tea'))
  await bob?.create(file('coffee'))
  expect(await alice?.view({ command: 'view', path })).toContain('tea')
  const { token } = await book.tokens.grant({
    granted_to: 'guest',
    scope: 'document:users/bob/',
    permissions: ['read', 'write'],
    expires_at: '2099-01-01',
  })
  const guest = book.with({ as: token.token_id })
  expect(await daybookMemory(guest, { folder: 'users/bob' }).view({ command: 'view', path })).toContain(
    'coffee',
  )
  const foreign = daybookMemory(guest, { folder: 'users/alice' })
  expect((await failure(foreign.view({ command: 'view', path }))).code).toBe('not-found')
})

it('runs in the vendor’s tool, whose model is told what was refused', async () => {
  await using book = await open()
  const tool = betaMemoryTool(daybookMemory(book))
  const create = tool.parse({ ...file('Likes rye bread') })
  expect(await tool.run(create)).toBe(`File created successfully at: ${path}`)
  const again = Promise.resolve().then(() => tool.run(create))
  await expect(again).rejects.toThrow(`File ${path} already exists`)
})
