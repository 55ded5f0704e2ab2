// The receipts of agents: who, for what, until when; each can be taken back.
import { Time } from '../../parts/time.tsx'
import {
  hasMoreReceipts,
  loadMoreReceipts,
  type Receipt,
  receipts,
  revokeReceipt,
} from '../../state/consent/policies.ts'
import { scopeWord } from '../../wording/policy-word.ts'
import { capital } from '../../wording/text-word.ts'

export function ReceiptList() {
  const all = receipts.value
  return (
    <section aria-label="Receipts">
      <h2>Receipts</h2>
      {all.length === 0 ? (
        <p class="quiet">
          No receipts yet. An agent gets one when a policy or you grant what it asked for; it ends by itself
          and can be revoked here.
        </p>
      ) : (
        <ul class="queue">
          {all.map((receipt) => (
            <ReceiptRow key={receipt.id} receipt={receipt} />
          ))}
        </ul>
      )}
      {hasMoreReceipts.value && (
        <button type="button" class="button" onClick={() => void loadMoreReceipts()}>
          Show older receipts
        </button>
      )}
    </section>
  )
}

function ReceiptRow({ receipt }: { receipt: Receipt }) {
  const { grantedTo: agent, scopes, denied, purpose, method, state, expiresAt: until } = receipt
  return (
    <li class="memory-row">
      <p class="memory-text">
        <strong>
          <bdi>{agent}</bdi>
        </strong>{' '}
        {state === 'active' ? 'may read' : 'could read'} {scopes.map(scopeWord).join(', ')}
        {denied.length > 0 && `; not ${denied.map(scopeWord).join(', ')}`}.
      </p>
      <p class="quiet" dir="auto">
        {purpose.description}
      </p>
      <p class="memory-said">
        <span class={`state state-${state}`}>{capital(state)}</span>
        <span>{method === 'policy_match' ? 'granted by policy' : 'granted by you'}</span>
        <span>
          {state === 'active' ? 'until' : 'ended'} <Time at={receipt.revokedAt ?? until} />
        </span>
      </p>
      {state === 'active' && (
        <div class="row-acts">
          <button type="button" class="button small" onClick={() => void revokeReceipt(receipt)}>
            Revoke<span class="hidden"> {agent}</span>
          </button>
        </div>
      )}
    </li>
  )
}
