// What is no memory, no proposal and no decision is refused with its path; nothing is stored, and a write that was tried is in
// the log of access.
import { describe, expect, it } from 'vitest'
import { type BookCase, failure } from '../book-case.ts'

export function consentInputCases({ book: open }: BookCase): void {
  describe('memories and proposals', () => {
    const bad: readonly (readonly [what: string, verb: string, input: object, path: string])[] = [
      ['no content', 'a2p:store_memory', { content: ' \n', category: 'a2p:context' }, 'content'],
      [
        '2,001 characters',
        'a2p:store_memory',
        { content: 'é'.repeat(2001), category: 'a2p:context' },
        'content',
      ],
      ['half a character', 'a2p:store_memory', { content: 'x\ud800', category: 'a2p:context' }, 'content'],
      ['no category', 'a2p:store_memory', { content: 'x' }, 'category'],
      [
        'a category with a control',
        'a2p:store_memory',
        { content: 'x', category: 'a2p:a\u0000' },
        'category',
      ],
      ['a category with a line', 'a2p:store_memory', { content: 'x', category: 'a2p:a\n' }, 'category'],
      ['a category of nobody', 'a2p:store_memory', { content: 'x', category: 'me:a' }, 'category'],
      ['a category with a gap', 'a2p:store_memory', { content: 'x', category: 'a2p:a..b' }, 'category'],
      [
        'a type that is none',
        'a2p:store_memory',
        { content: 'x', category: 'a2p:a', memory_type: 'x' },
        'memory_type',
      ],
      [
        'confidence 1.0001',
        'a2p:store_memory',
        { content: 'x', category: 'a2p:a', confidence: 1.0001 },
        'confidence',
      ],
      [
        'confidence −0.0001',
        'a2p:store_memory',
        { content: 'x', category: 'a2p:a', confidence: -0.0001 },
        'confidence',
      ],
      [
        'confidence NaN',
        'a2p:store_memory',
        { content: 'x', category: 'a2p:a', confidence: Number.NaN },
        'confidence',
      ],
      ['an empty label', 'a2p:store_memory', { content: 'x', category: 'a2p:a', scope: [''] }, 'scope.0'],
      ['an unknown field', 'a2p:store_memory', { content: 'x', category: 'a2p:a', weight: 1 }, 'weight'],
      [
        'a source that is none',
        'a2p:store_memory',
        { content: 'x', category: 'a2p:a', source: { type: 'x' } },
        'source.type',
      ],
      [
        'a status that is asked for',
        'a2p:store_memory',
        { content: 'x', category: 'a2p:a', status: 'rejected' },
        'status',
      ],
      ['no scopes', 'a2p:get_profile', { scopes: [] }, 'scopes'],
      ['an empty scope', 'a2p:get_profile', { scopes: [''] }, 'scopes.0'],
      ['a scope that is none', 'a2p:get_profile', { scopes: ['preferences'] }, 'scopes.0'],
      ['a DID that is none', 'a2p:get_profile', { did: 'alice' }, 'did'],
      ['no change', 'a2p:edit_memory', { id: 'mem_1' }, 'id'],
      ['2,001 characters proposed', 'a2p:propose', { content: 'x'.repeat(2001) }, 'content'],
      ['nothing proposed', 'a2p:propose', {}, 'content'],
      ['a proposal in a state', 'a2p:propose', { content: 'x', status: 'approved' }, 'status'],
      ['an id of another sort', 'a2p:propose', { content: 'x', id: 'mem_1' }, 'id'],
      ['a context too long', 'a2p:propose', { content: 'x', context: 'x'.repeat(1001) }, 'context'],
      [
        'a proposal of the future',
        'a2p:propose',
        { content: 'x', proposedAt: '2099-01-01T00:00:00Z' },
        'proposedAt',
      ],
      [
        'an end before the beginning',
        'a2p:propose',
        { content: 'x', proposedAt: '2025-12-25', expiresAt: '2025-12-24' },
        'expiresAt',
      ],
      [
        'an end at the beginning',
        'a2p:propose',
        { content: 'x', proposedAt: '2025-12-25', expiresAt: '2025-12-25' },
        'expiresAt',
      ],
      [
        'an end in a hundred years',
        'a2p:propose',
        { content: 'x', expiresAt: '2125-01-01T00:00:00Z' },
        'expiresAt',
      ],
      [
        'evidence of no sort',
        'a2p:propose',
        { content: 'x', evidence: [{ type: 'guess' }] },
        'evidence.0.type',
      ],
      ['an edit without one', 'a2p:review', { id: 'prop_1', action: 'edit' }, 'edited'],
      [
        'an approval with an edit',
        'a2p:review',
        { id: 'prop_1', action: 'approve', edited: { content: 'x' } },
        'edited',
      ],
      ['an edit of nothing', 'a2p:review', { id: 'prop_1', action: 'edit', edited: {} }, 'edited'],
      ['a decision that is none', 'a2p:review', { id: 'prop_1', action: 'maybe' }, 'action'],
      ['one memory', 'a2p:consolidate', { ids: ['mem_1'] }, 'ids'],
      ['a memory twice', 'a2p:consolidate', { ids: ['mem_1', 'mem_1'] }, 'ids'],
      ['no class', 'a2p:reclassify', { id: 'mem_1', reason: 'r' }, 'memory_type'],
      ['no reason', 'a2p:reclassify', { id: 'mem_1', memory_type: 'semantic', reason: '' }, 'reason'],
      ['nothing to compare', 'a2p:find_similar', {}, 'id'],
    ]
    it.each(bad)(
      'are refused with %s, with the path, and nothing is stored',
      async (_what, verb, input, path) => {
        const book = await open()
        const error = await failure(book.call(verb as 'a2p:classify', input as never))
        expect(error).toMatchObject({ code: 'invalid-input', details: { path } })
        expect((await book.stats()).total).toBe(0)
        const isRead = ['a2p:get_profile', 'a2p:find_similar'].includes(verb)
        const { entries } = await book.access.log({ outcome: 'invalid-input' })
        expect(entries.map(({ capability }) => capability)).toEqual(isRead ? [] : [verb])
      },
    )
  })
}
