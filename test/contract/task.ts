// The task queue, as every host must keep and run it.
import { expect, it } from 'vitest'
import type { z } from 'zod'
import { capabilityTable } from '../../src/engine/capability-table.ts'
import type { Daybook } from '../../src/book/daybook.ts'
import { type BookCase, failure } from './book-case.ts'

const history = [
  { role: 'user', content: 'The audit is in March. I live in Berlin.', timestamp: '2026-02-01' },
]

/** The task once it is done or dead. */
export async function settledTask(book: Daybook, id: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const off = book.on('task', (task) => {
    if (task.id === id && (task.state === 'done' || task.state === 'dead')) resolve()
  })
  const early = await book.tasks.get({ id })
  if (early?.state !== 'done' && early?.state !== 'dead') await promise
  off()
  return await book.tasks.get({ id })
}

/** Verbs that take a passphrase, with an input that they take. */
const withPassphrase = capabilityTable.flatMap(({ id, effect, input }) => {
  const asked = [{}, { text: 'x' }].map((more) => ({ passphrase: 'correct horse battery', ...more }))
  const taken = asked.find((one) => (input as z.ZodType).safeParse(one).success)
  return effect !== 'read' && taken ? [{ id, input: taken }] : []
})

export function taskCases({ book: open, reopen }: BookCase, keepsKeys: boolean): void {
  it.each(keepsKeys ? ['purged', 'made sensitive'] : ['purged'])(
    'keeps no answer that names a record which was %s since',
    async (how) => {
      const book = await open()
      const { id } = await book.inbox.send({ to: 'contract', text: 'Saffron letter.' })
      const { id: task } = await book.tasks.add({ capability: 'inbox:take', input: {} })
      expect(JSON.stringify((await settledTask(book, task))?.result)).toContain('Saffron')
      if (how === 'purged') await book.records.purge({ id })
      else await book.records.setSensitivity({ id, sensitivity: 'sensitive' })
      expect((await book.tasks.get({ id: task }))?.state).toBe('done')
      expect(JSON.stringify(await book.tasks.list({}))).not.toContain('Saffron')
    },
  )

  it.runIf(keepsKeys)('keeps nothing of what a task was given that made a sensitive record', async () => {
    const book = await open()
    const { id: task } = await book.tasks.add({
      capability: 'kstar:store_perception',
      input: { content: 'Saffron letter.', sensitivity: 'sensitive' },
    })
    expect(await settledTask(book, task)).toMatchObject({ state: 'done', input: null })
    expect((await book.perceptions.query({})).records).toMatchObject([{ content: 'Saffron letter.' }])
    expect(JSON.stringify(await book.tasks.list({}))).not.toContain('Saffron')
  })

  it('keeps nothing of what a task that waits, is done, has failed or comes round was given about a record that is purged', async () => {
    const book = await open()
    const later = { delaySeconds: 100_000 }
    const words = { content: 'Saffron letter.' }
    const message = { id: 'gone', ...words }
    await book.conversation.store({ message })
    const id = (await book.conversation.list()).records[0]?.id ?? ''
    const waiting = await book.tasks.add({
      capability: 'ks:archive_episode',
      input: { history: [{ role: 'user', id: 'gone', ...words }] },
      ...later,
    })
    const only = await book.tasks.add({ capability: 'kstar:forget', input: { id }, ...later })
    const other = await book.tasks.add({
      capability: 'ks:store',
      input: { message: { id: 'other', ...words } },
      ...later,
    })
    await book.tasks.schedule({
      id: 'daily',
      capability: 'ks:store',
      input: { message },
      every: '1d',
      first: '2099-01-01',
    })
    const rounds = async () => (await book.tasks.schedules()).schedules.map(({ task }) => task.id)
    expect(await rounds()).toContain('daily')
    const dead = await book.tasks.add({
      capability: 'kstar:supersede_fact',
      input: { id, data: { text: 'Saffron fact' } },
    })
    expect((await settledTask(book, dead.id))?.state).toBe('dead')
    const evidence = [{ record: id, quote: words.content }]
    const done = await book.tasks.add({
      capability: 'a2p:propose',
      input: { content: 'Likes spices', category: 'a2p:interests', evidence },
    })
    expect(await settledTask(book, done.id)).toMatchObject({ state: 'done', input: { evidence } })
    await book.records.purge({ id })
    expect(await book.tasks.get(done)).toMatchObject({ state: 'done', input: null })
    for (const task of [waiting, dead])
      expect(await book.tasks.get(task)).toMatchObject({
        input: null,
        state: 'dead',
        error: { code: 'not-found' },
      })
    // What names it alone quotes nothing, and what does not name it is nobody's to guess.
    expect(await book.tasks.get(only)).toMatchObject({ state: 'waiting', input: { id } })
    await book.tasks.drop(other)
    expect(await rounds()).not.toContain('daily')
    expect(JSON.stringify(await book.tasks.list({}))).not.toContain('Saffron')
    // Tried again it does nothing.
    await book.tasks.retry(waiting)
    expect(await settledTask(book, waiting.id)).toMatchObject({ state: 'dead' })
    expect((await book.conversation.episodes()).records).toEqual([])
  })

  it('keeps no passphrase', async () => {
    const book = await open()
    expect(withPassphrase.map(({ id }) => id)).toEqual([
      'seal:unlock',
      'seal:guard',
      'seal:export_keys',
      'seal:import_keys',
      'bundle:export',
      'bundle:import',
      'bundle:verify',
      'archive:put',
    ])
    for (const { id, input } of withPassphrase) {
      const refused = await failure(book.tasks.add({ capability: id, input }))
      expect([id, refused.code, refused.details]).toEqual([id, 'invalid-input', { path: 'input.passphrase' }])
    }
    expect((await book.tasks.list()).tasks).toEqual([])
  })

  it('keeps nothing that is made to be shown once, nor what ends the book', async () => {
    const book = await open()
    const expires_at = '2099-01-01'
    for (const [capability, input] of [
      ['daybook:create_access_key', { name: 'k', permissions: ['read'] }],
      ['kstar:grant_control_token', { scope: '**', permissions: ['read'], granted_to: 'x', expires_at }],
      ['daybook:erase', { confirm: 'x' }],
      ['daybook:start_over', { confirm: 'x' }],
    ] as const) {
      const refused = await failure(book.tasks.add({ capability, input }))
      expect([capability, refused.code, refused.details]).toEqual([
        capability,
        'invalid-input',
        { path: 'capability' },
      ])
    }
    expect((await book.tasks.list()).tasks).toEqual([])
    // What has a passphrase only sometimes is put off without.
    await book.tasks.add({ capability: 'seal:guard', input: {}, delaySeconds: 1000 })
  })

  it('makes a call that was put off, and keeps its answer', async () => {
    const book = await open()
    const told: string[] = []
    book.on('task', ({ state, capability }) => told.push(`${capability} ${state}`))
    const { id } = await book.tasks.add({ capability: 'ks:archive_episode', input: { history } })
    const task = await settledTask(book, id)
    const { records } = await book.conversation.episodes()
    expect(records).toHaveLength(1)
    expect(task).toMatchObject({
      id,
      capability: 'ks:archive_episode',
      input: { history },
      state: 'done',
      attempts: 1,
      maxAttempts: 5,
      result: {
        ok: true,
        episodeId: records[0]?.id,
        method: 'extractive',
      },
    })
    expect(told).toEqual(['ks:archive_episode running', 'ks:archive_episode done'])
    expect((await book.tasks.list({ state: 'waiting' })).tasks).toEqual([])
  })

  it('runs tasks in the order they came, and all of them', async () => {
    const book = await open()
    const ids: string[] = []
    for (let i = 0; i < 8; i++) {
      const message = { content: `message ${i}` }
      ids.push((await book.tasks.add({ capability: 'ks:store', input: { message } })).id)
    }
    for (const id of ids) expect((await settledTask(book, id))?.state).toBe('done')
    const { messages } = await book.conversation.recall({ limit: 20 })
    expect(messages).toHaveLength(8)
    expect((await book.tasks.list()).tasks.map(({ id }) => id)).toEqual(ids.toReversed())
  })

  it('gives up at once what no repetition mends, and says why until somebody decides', async () => {
    const book = await open()
    const input = { name: 'x.traj', text: 'not json' }
    const { id } = await book.tasks.add({ capability: 'import:swe_agent', input })
    const dead = await settledTask(book, id)
    expect(dead).toMatchObject({ state: 'dead', attempts: 1, error: { code: 'invalid-file' } })
    const again = await reopen(book)
    expect((await again.tasks.list({ state: 'dead' })).tasks).toMatchObject([{ id, state: 'dead' }])
    const dies = new Promise((resolve) => again.on('task', ({ state }) => state === 'dead' && resolve(state)))
    await again.tasks.retry({ id })
    expect(await dies).toBe('dead')
    expect(await again.tasks.drop({ id })).toEqual({ id, dropped: true })
    expect(await again.tasks.drop({ id })).toEqual({ id, dropped: false })
    expect(await again.tasks.get({ id })).toBeNull()
    expect((await failure(again.tasks.retry({ id }))).code).toBe('not-found')
  })

  it('keeps what waits when the book is closed, and takes a task once', async () => {
    const book = await open()
    const input = { message: { id: 'm-1', content: 'later' } }
    const later = { capability: 'ks:store', input, delaySeconds: 3600 }
    const { id } = await book.tasks.add(later, { requestId: 'r-1' })
    expect(await book.tasks.add(later, { requestId: 'r-1' })).toEqual({ id })
    const again = await reopen(book)
    expect((await again.tasks.list()).tasks).toMatchObject([{ id, state: 'waiting', attempts: 0 }])
    await again.tasks.retry({ id })
    expect((await settledTask(again, id))?.result).toMatchObject({ ok: true, result: 'stored' })
    expect((await failure(again.tasks.retry({ id }))).code).toBe('conflict')
    expect((await again.conversation.list()).records).toHaveLength(1)
  })

  it.each([
    ['a capability that there is not', { capability: 'ks:nothing' }, 'unknown-capability', 'capability'],
    ['one that only reads', { capability: 'ks:recall', input: {} }, 'invalid-input', 'capability'],
    [
      'the queue itself',
      { capability: 'task:add', input: { capability: 'ks:store' } },
      'invalid-input',
      'capability',
    ],
    [
      'a wrong input',
      { capability: 'ks:store', input: { message: {} } },
      'invalid-input',
      'input.message.content',
    ],
    ['too many tries', { capability: 'ks:store', maxAttempts: 21 }, 'invalid-input', 'maxAttempts'],
  ] as const)('refuses to put off %s', async (_what, input, code, path) => {
    const book = await open()
    expect(await failure(book.tasks.add(input))).toMatchObject({ code, details: { path } })
    expect((await book.tasks.list()).tasks).toEqual([])
  })
}
