// Collections of TanStack DB over the handle of a guest: a row is gone once its record may not be read any more, by whatever way.
import { createCollection } from '@tanstack/db'
import { expect, it } from 'vitest'
import type { Daybook } from '../../../../../src/book/daybook.ts'
import type { DaybookError } from '../../../../../src/core/errors.ts'
import { daybookCollectionOptions } from '../../../../../src/doors/adapter/tanstack-db/collection.ts'
import { grant, later } from '../../../../contract/access/token-grant.ts'
import { openBook, until } from './rows-case.ts'

const interests = { forAgents: 'grader', allow: ['a2p:interests'], permissions: ['read_scoped'] } as const

/** A book with a memory, and a collection of it for a guest that may read it. */
async function opened(expires_at = later) {
  const book = await openBook()
  const { token } = await grant(book, { expires_at })
  const { id: policy } = await book.consent.setPolicy({
    ...interests,
    allow: [...interests.allow],
    permissions: ['read_scoped'],
  })
  const memory = { content: 'Likes quilting', category: 'a2p:interests', memory_type: 'semantic' } as const
  const { id } = await book.memories.store(memory)
  const errors: DaybookError[] = []
  const guest = book.with({ as: token.token_id })
  const rows = createCollection(
    daybookCollectionOptions({ book: guest, kind: 'memory', onError: (error) => errors.push(error) }),
  )
  await rows.preload()
  expect(rows.has(id)).toBe(true)
  return { book, token: token.token_id, policy, id, rows, errors }
}

const endings: Record<string, (one: { book: Daybook; id: string; policy: string }) => Promise<unknown>> = {
  'a policy is removed': ({ book, policy }) => book.consent.removePolicy({ id: policy }),
  'a policy denies it': ({ book }) =>
    book.consent.setPolicy({
      ...interests,
      allow: ['ext:none'],
      deny: ['a2p:interests'],
      permissions: ['read_scoped'],
    }),
  'it is put into another class': ({ book, id }) =>
    book.memories.reclassify({ id, category: 'a2p:identity', reason: 'It says who they are' }),
  'it is sealed': ({ book, id }) => book.records.setSensitivity({ id, sensitivity: 'restricted' }),
  'it is forgotten': ({ book, id }) => book.records.forget({ id }),
}

it.each(Object.entries(endings))('lets a row go when %s', async (_name, end) => {
  const { rows, errors, ...one } = await opened()
  await end(one)
  await until(rows, () => !rows.has(one.id))
  expect(errors).toEqual([])
})

it('shows a row when a policy lets it be read', async () => {
  const { book, policy, id, rows } = await opened()
  await book.consent.removePolicy({ id: policy })
  await until(rows, () => !rows.has(id))
  await book.consent.setPolicy({ ...interests, allow: [...interests.allow], permissions: ['read_scoped'] })
  await until(rows, () => rows.has(id))
  expect(rows.get(id)).toMatchObject({ content: 'Likes quilting' })
})

it('shows no row any more once its token is revoked, and says so', async () => {
  const { book, token, rows, errors } = await opened()
  await book.tokens.revoke({ token_id: token, reason: 'over' })
  await until(rows, () => rows.size === 0)
  expect(errors.map(({ code }) => code)).toContain('unauthorized')
})

it('shows no row any more once the time of its token is over, though nobody writes', async () => {
  const { rows, errors } = await opened(new Date(Date.now() + 3000).toISOString())
  await until(rows, () => rows.size === 0)
  expect(errors.map(({ code }) => code)).toContain('unauthorized')
})
