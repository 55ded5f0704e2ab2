// Routes of the a2p protocol about memories: the profile, the memories of it, and what agents propose to it.
import { z } from 'zod'
import { DaybookError } from '../../../core/errors.ts'
import { type A2pRoute, type Asked, bodyOf, countOf, type Given, present, readBody, under } from './route.ts'

/** Memories of one page, and as far as pages reach: as many as one call lists. */
const usualPage = 50
const lastMemory = 1000

const text = z.string().max(100_000)
const reviewBody = z.strictObject({
  action: z.enum(['approve', 'reject', 'edit']),
  editedContent: text.optional(),
  editedCategory: text.optional(),
  editedMemoryType: text.optional(),
  reason: text.optional(),
  /** Whoever approves knows of characters in the text that are not seen. */
  despiteHidden: z.boolean().optional(),
})

/** What `a2p:review` takes: approving with anything edited is editing. */
function reviewOf(asked: Asked): Given {
  const { action, editedContent, editedCategory, editedMemoryType, reason, despiteHidden } = readBody(
    reviewBody,
    asked,
  )
  const edited = present({ content: editedContent, category: editedCategory, memory_type: editedMemoryType })
  const isEdited = action !== 'reject' && Object.keys(edited).length > 0
  return present({
    id: asked.param('id'),
    action: isEdited ? 'edit' : action,
    ...(isEdited ? { edited } : {}),
    reason,
    despite_hidden: despiteHidden,
  })
}

/** As the clients of the protocol spell it. */
const withType = (body: Given) => under(body, 'memoryType', 'memory_type')

const stateOf = (status: unknown) => (status === 'edited' ? 'approved' : status)

export const memoryRoutes: readonly A2pRoute[] = [
  {
    method: 'GET',
    path: '/profile/:did',
    operation: 'read',
    capability: 'a2p:get_profile',
    input: (asked) => present({ did: asked.userDid, scopes: listOf(asked.query('scopes')) }),
    answer: ({ sealed, ...profile }) => ({ data: profile, meta: present({ sealed }) }),
  },
  {
    method: 'GET',
    path: '/profile/:did/memories',
    operation: 'read',
    capability: 'a2p:query_memories',
    input: (asked) => {
      const { limit, offset } = pageOf(asked)
      return present({
        category: asked.query('category'),
        memory_type: asked.query('memory_type'),
        status: asked.query('status'),
        sensitivity: asked.query('sensitivity'),
        // One more, to say whether there are further ones.
        limit: Math.max(1, Math.min(lastMemory, offset + limit + 1)),
      })
    },
    answer({ memories, sealed }, asked) {
      const { limit, offset } = pageOf(asked)
      const all = memories as readonly Given[]
      const page = all.slice(offset, offset + limit)
      const more = all.length > offset + page.length
      return { data: page, meta: present({ count: page.length, limit, offset, more, sealed }) }
    },
  },
  {
    method: 'POST',
    path: '/profile/:did/memories',
    operation: 'write',
    capability: 'a2p:store_memory',
    input: (asked) => withType(bodyOf(asked)),
    answer: ({ id, result, stored_at }) => ({
      status: result === 'unchanged' ? 200 : 201,
      data: { memoryId: id, status: 'approved', result, storedAt: stored_at },
    }),
  },
  {
    method: 'POST',
    path: '/profile/:did/memories/propose',
    operation: 'propose',
    capability: 'a2p:propose',
    input: (asked) => withType(bodyOf(asked)),
    // Also for one that waits already: whoever tries again after a lost answer is told the same.
    answer: ({ id, result, status, proposedAt, expiresAt, hidden }) => ({
      status: 201,
      data: { proposalId: id, status, expiresAt, createdAt: proposedAt, result, hidden },
    }),
  },
  {
    method: 'GET',
    path: '/profile/:did/proposals',
    operation: 'other',
    capability: 'a2p:list_proposals',
    input: (asked) =>
      present({
        status: asked.query('status'),
        agent: asked.query('agent'),
        form: asked.query('form'),
        limit: Math.max(1, countOf(asked, 'limit', { usual: 100, most: lastMemory })),
        cursor: asked.query('cursor'),
      }),
    answer: ({ proposals, cursor, sealed }) => ({
      data: proposals,
      meta: present({ count: (proposals as readonly unknown[]).length, cursor, sealed }),
    }),
  },
  {
    method: 'GET',
    path: '/profile/:did/proposals/:id',
    operation: 'other',
    capability: 'a2p:list_proposals',
    input: (asked) => present({ id: asked.param('id'), form: asked.query('form') }),
    answer({ proposals }) {
      const [data] = proposals as readonly unknown[]
      if (data === undefined) throw new DaybookError('not-found', 'There is no such proposal.')
      return { data }
    },
  },
  {
    method: 'POST',
    path: '/profile/:did/proposals/:id/review',
    operation: 'write',
    capability: 'a2p:review',
    input: reviewOf,
    answer: ({ id, status, memory, reopen_until }) => ({
      data: present({
        proposalId: id,
        status: stateOf(status),
        memoryId: memory,
        edited: status === 'edited' ? true : undefined,
        reopenUntil: reopen_until,
      }),
    }),
    refusal: (error) =>
      error.code === 'conflict'
        ? new DaybookError('conflict', `Proposal already reviewed: ${error.message}`, {
            details: error.details,
          })
        : error,
  },
  {
    method: 'POST',
    path: '/profile/:did/proposals/:id/withdraw',
    operation: 'write',
    capability: 'a2p:withdraw',
    input: (asked) => ({ ...bodyOf(asked), id: asked.param('id') }),
    answer: ({ id, status }) => ({ data: { proposalId: id, status } }),
  },
]

/** Texts apart by commas; undefined without any. */
function listOf(value: string | undefined): string[] | undefined {
  if (value === undefined) return undefined
  return value.split(',').map((one) => one.trim())
}

function pageOf(asked: Asked): { readonly limit: number; readonly offset: number } {
  const limit = countOf(asked, 'limit', { usual: usualPage, most: lastMemory })
  return { limit, offset: countOf(asked, 'offset', { usual: 0, most: lastMemory }) }
}
