// Policies as sentences, and texts with what is hidden in them: pure, so tried without a page.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { piecesOf } from '../../../../demo/wording/hidden-word.ts'
import { policySentences, scopeWord } from '../../../../demo/wording/policy-word.ts'

const plain = { forAgents: 'tutor', allow: ['a2p:preferences'], deny: [], permissions: ['read_scoped'] }

describe('a policy as sentences', () => {
  it.each([
    ['a2p:preferences.communication', 'preferences › communication'],
    ['a2p:semantic', 'memories of what is true'],
    ['a2p:semantic.preferences', 'preferences (memories of what is true)'],
    ['ext:spotify:music.preferences', 'music › preferences (spotify)'],
    ['ext:spotify', 'everything of spotify'],
    ['a2p:*', 'all memories'],
    ['a2p:health.*', 'health'],
    ['what:is.this', 'what:is.this'],
  ])('names the scope %s as %s', (scope, word) => {
    expect(scopeWord(scope)).toBe(word)
  })

  it('says what may be read, what never is, and every condition', () => {
    const said = policySentences({
      forAgents: 'did:a2p:agent:local:*',
      allow: ['a2p:preferences', 'a2p:interests'],
      deny: ['a2p:health', 'a2p:financial'],
      permissions: ['read_full', 'propose'],
      conditions: {
        requireHttps: true,
        timeOfDay: { start: '08:00', end: '18:00', timezone: 'Europe/Berlin' },
        rateLimit: { requests: 1, window: '15m' },
        maxDataRetention: '6m',
      },
    })
    expect(said).toEqual([
      'Agents named did:a2p:agent:local:* may read preferences and interests: also what is sensitive; what is restricted only where its category is named.',
      'Agents named did:a2p:agent:local:* may propose memories.',
      'Agents named did:a2p:agent:local:* may never read health or financial.',
      'Only over HTTPS, or from this device.',
      'Only from 08:00 to 18:00 (Europe/Berlin).',
      'At most 1 call in 15 minutes.',
      'It must keep what it read for 6 months at most. Daybook cannot enforce that.',
    ])
  })

  it('tells the lowest reading level that is named beside a higher permission as the highest named one', () => {
    const [first, second] = policySentences({ ...plain, permissions: ['read_public', 'propose'] })
    expect([first, second]).toEqual([
      'tutor may read preferences: only what is public.',
      'tutor may propose memories.',
    ])
    // Without a reading level, whoever may propose reads all.
    expect(policySentences({ ...plain, permissions: ['propose'] })[0]).toContain('also what is sensitive')
  })

  it('says that an agent is shut out, and that an unknown condition allows nothing', () => {
    const shut = { ...plain, forAgents: '*', allow: [], permissions: ['none'] }
    expect(policySentences(shut)).toEqual(['Every agent may read nothing.'])
    const odd = policySentences({ ...plain, conditions: { moonPhase: 'full' } })
    expect(odd.at(-1)).toBe('The condition “moonPhase” is not known here, so the policy allows nothing.')
    expect(policySentences({ ...plain, conditions: { requireHttps: false } })).toHaveLength(1)
  })

  it('leaves no scope and no condition unsaid', () => {
    const scopes = fc.uniqueArray(
      fc
        .stringMatching(/^a2p:[a-z]{4,9}\.[a-z]{3,9}$/)
        .filter((one) => !/:(episodic|semantic|procedural)\./.test(one)),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(scopes, scopes, fc.stringMatching(/^[a-z]{12}$/), (allow, deny, name) => {
        const said = policySentences({ ...plain, allow, deny, conditions: { [name]: 1 } }).join('\n')
        return [...allow, ...deny].every((one) => said.includes(scopeWord(one))) && said.includes(name)
      }),
    )
  })
})

describe('a text with what is hidden in it', () => {
  it('shows each hidden character by its name, in its place', () => {
    const hidden = [
      { at: 3, character: 'zero-width space U+200B' },
      { at: 8, character: 'tag character U+E0041' },
    ]
    expect(piecesOf('Pay\u200b me \u{e0041}now', hidden)).toEqual([
      { kind: 'text', text: 'Pay' },
      { kind: 'hidden', note: 'U+200B zero-width space' },
      { kind: 'text', text: ' me ' },
      { kind: 'hidden', note: 'U+E0041 tag character' },
      { kind: 'text', text: 'now' },
    ])
  })

  it('takes nothing away of a word with mixed scripts, nor for what is hidden in a label', () => {
    const hidden = [
      { at: 0, character: 'mixed scripts in a word: Latin, Cyrillic' },
      { at: 0, character: 'in a label: zero-width space U+200B' },
    ]
    const pieces = piecesOf('pаypal', hidden)
    expect(pieces.map((one) => (one.kind === 'text' ? one.text : '!')).join('')).toBe('!pаypal')
  })

  it('keeps all of any text, wherever something is said to be hidden', () => {
    const unit = fc.constantFrom('a', ' ', '\u200b', '\u{e0041}', '😀', '\ud800', 'я')
    const places = fc.array(fc.record({ at: fc.integer({ min: -2, max: 40 }), character: fc.string() }))
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), places, (text, hidden) => {
        const kept = piecesOf(text, hidden).map((one) => (one.kind === 'text' ? one.text : ''))
        expect(kept.join('')).toBe(text)
      }),
    )
  })
})
