// What is secret and was put off by an older version, which stored it: it is gone at the next opening, run or not.
import { readFileSync, rmSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/book/open-daybook.ts'

const folder = mkdtempSync(join(tmpdir(), 'secret-task-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('takes secrets out of the queue that older versions left there, and out of the file, at opening', async () => {
  const path = join(folder, 'book.daybook')
  const book = await openDaybook({ name: 'book', path })
  await book.tasks.add({ capability: 'ks:archive_episode', input: { history: [] }, delaySeconds: 1000 })
  await book.close()
  const db = new DatabaseSync(path)
  const add = db.prepare(
    `INSERT INTO tasks (id, capability, input, scope, state, attempts, max_attempts, created_at, updated_at, due_at, result)
     VALUES (?, ?, ?, '{"agent":"a"}', ?, 0, 5, ?, ?, ?, ?)`,
  )
  const at = '2026-11-01T00:00:00.000Z'
  const secret = 'correct horse battery staple'
  const rows = [
    ['seal:unlock', { passphrase: secret }, 'dead', null],
    ['seal:export_keys', { passphrase: secret }, 'done', { text: `${secret} as a key text` }],
    ['bundle:export', { passphrase: secret }, 'waiting', null],
    ['bundle:export', {}, 'done', { pieces: 1 }],
    ['daybook:create_access_key', { name: 'x' }, 'done', { key: `dbk1.${secret}` }],
  ] as const
  for (const [i, [capability, input, state, result]] of rows.entries())
    add.run(`t${i}`, capability, JSON.stringify(input), state, at, at, '2099-01-01', JSON.stringify(result))
  db.close()
  expect(readFileSync(path).includes(secret)).toBe(true)

  const again = await openDaybook({ name: 'book', path })
  await again.traces.count()
  await again.tasks.add({ capability: 'ks:archive_episode', input: { history: [] }, delaySeconds: 1000 })
  const { tasks } = await again.tasks.list()
  expect(tasks.map(({ capability }) => capability)).toEqual([
    'ks:archive_episode',
    'bundle:export',
    'ks:archive_episode',
  ])
  await again.close()
  expect(readFileSync(path).includes(secret)).toBe(false)
})
