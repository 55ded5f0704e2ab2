// What is said of an access token: one that is over is said to permit nothing, never what its holder may.
import { expect, it } from 'vitest'
import { endedTokenWords, tokenWords } from '../../../../demo/kind/token-word.ts'

const token = {
  granted_to: 'agent:hand',
  permissions: ['read'],
  scope: '**',
  expires_at: '2099-01-01T00:00:00.000Z',
} as unknown as Parameters<typeof tokenWords>[0]

it('says what the holder of a token may do while it holds, and that of one that is over nobody may anything', () => {
  expect(tokenWords(token, 0).join(' ')).toMatch(/agent:hand may read/)
  for (const how of ['revoked', 'expired', 'foreign'] as const) {
    const words = endedTokenWords(token, how)
    expect(words[0]).toMatch(/agent:hand can do nothing with it\.$/)
    expect(words.join(' ')).not.toMatch(/\bmay\b/)
  }
})
