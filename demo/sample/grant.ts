// What the courier of the guided sample is allowed to hand on: a token for a helper, and a narrower one below it.
import type { Daybook } from '../../src/index.ts'
import { domain } from './courier.ts'

const dayMs = 86_400_000

export async function grantTokens(book: Daybook): Promise<void> {
  const in30Days = new Date(Date.now() + 30 * dayMs).toISOString()
  const { token } = await book.tokens.grant({
    granted_to: 'agent:dispatcher',
    scope: 'trace:**',
    permissions: ['read', 'delegation'],
    expires_at: in30Days,
  })
  await book.tokens.grant({
    granted_to: 'agent:helper',
    scope: `trace:${domain}`,
    permissions: ['read'],
    expires_at: new Date(Date.now() + dayMs).toISOString(),
    parent: token.token_id,
  })
  const { token: visitor } = await book.tokens.grant({
    granted_to: 'agent:visitor',
    scope: 'perception:**',
    permissions: ['read'],
    expires_at: in30Days,
  })
  await book.tokens.revoke({ token_id: visitor.token_id, reason: 'The visit is over' })
}
