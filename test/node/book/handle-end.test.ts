// A handle ends with the handle that it was made from, also one with a token, which listens at the book.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-handle-end-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each([false, true])('ends a handle of a closed handle; with a token: %s', async (hasToken) => {
  const book = await openDaybook({ name: 'garden', path: join(folder, `${hasToken}.daybook`) })
  const grant = { scope: '**', permissions: ['read'], granted_to: 'guest', expires_at: '2099-01-01' } as const
  const { token } = await book.tokens.grant({ ...grant, permissions: [...grant.permissions] })
  const outer = book.with({ session: 's' })
  const inner = outer.with(hasToken ? { as: token.token_id } : { resource: 'r' })
  const reasons: string[] = []
  inner.on('closed', ({ reason }) => reasons.push(reason))
  const live = inner.live({ method: 'perceptions.query' })
  const answered = Promise.withResolvers<void>()
  live.subscribe(() => answered.resolve())
  await answered.promise
  expect(live.getSnapshot().status).toBe('ready')
  await outer.close()
  expect(reasons).toEqual(['This handle of the book was closed.'])
  expect(live.getSnapshot()).toMatchObject({ status: 'error', error: { code: 'book-closed' } })
  await book.close()
})
