// What can be done in the view of tokens: grant one, grant one below the open one, revoke it.
import { Icon } from '../../../parts/icon.tsx'
import { ownState, type Token } from '../../../kind/token-kind.ts'
import { askGrant, askRevoke } from '../../../state/trust/token.ts'

export function GrantToken() {
  return (
    <button type="button" class="button small" onClick={() => askGrant()}>
      <Icon name="plus" size={14} />
      Grant a token
    </button>
  )
}

export function TokenActs({ record: token }: { record: Token }) {
  const state = token.state ?? ownState(token)
  const mayDelegate =
    token.type === 'delegation' ||
    token.permissions.includes('delegation') ||
    token.permissions.includes('**')
  return (
    <>
      {state === 'active' && mayDelegate && (
        <button type="button" class="button small" onClick={() => askGrant(token)}>
          Delegate
        </button>
      )}
      {!token.revoked && (
        <button type="button" class="button small" onClick={() => void askRevoke(token)}>
          Revoke
        </button>
      )}
    </>
  )
}
