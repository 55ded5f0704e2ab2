// The view of policies: access requests of agents, policies in sentences, and receipts, which can be revoked.
import { More, RowAct } from '../../parts/list-part.tsx'
import { Question } from '../../parts/dialog.tsx'
import { Page } from '../shell/page.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon, Time } from '../../parts/inline.tsx'
import {
  decideRequest,
  editing,
  hasMoreReceipts,
  loadMoreReceipts,
  loadPolicies,
  policies,
  policiesFailure,
  type Policy,
  type Receipt,
  receipts,
  removePolicy,
  removing,
  revokeReceipt,
  switchPolicy,
} from '../../state/consent/policies.ts'
import { type AccessRequest, requests } from '../../state/consent/queue.ts'
import { policySentences, scopeWord } from '../../wording/policy-word.ts'
import { capital } from '../../wording/text-word.ts'
import { PolicyDialog } from './policy-dialog.tsx'

export function PolicyView() {
  const all = policies.value
  return (
    <Page look="consent" title="Policies">
      <ErrorNotice
        title="The policies could not be read."
        error={policiesFailure.value}
        retry={loadPolicies}
      />
      <Requests />
      <section aria-label="Who may read what">
        <div class="section-head">
          <h2>Who may read what</h2>
          <button type="button" class="button" onClick={() => (editing.value = 'new')}>
            <Icon name="plus" size={14} />
            Add a policy
          </button>
        </div>
        <p class="quiet">Agents can read a memory only if a policy allows it. Deny always wins.</p>
        {all && all.length === 0 && (
          <EmptyNote title="No policies yet">
            <p>
              This is where policies appear. Add one here, or call{' '}
              <code>book.consent.setPolicy({'{ forAgents, allow, permissions }'})</code> in this page’s
              console.
            </p>
          </EmptyNote>
        )}
        {all && all.length > 0 && (
          <ul class="queue">
            {all.map((policy) => (
              <PolicyRow key={policy.id} policy={policy} />
            ))}
          </ul>
        )}
      </section>
      <ReceiptList />
      {editing.value && <PolicyDialog policy={editing.value === 'new' ? undefined : editing.value} />}
      {removing.value && <RemoveQuestion policy={removing.value} />}
    </Page>
  )
}

function Requests() {
  const all = requests.value
  return (
    <section aria-label="Access requests">
      <h2>Access requests{all.length > 0 && ` (${all.length})`}</h2>
      {all.length === 0 ? (
        <p class="quiet">
          No agent is waiting for access. A request appears here when <code>consent.request()</code> asks for
          more than the policies allow.
        </p>
      ) : (
        <ul class="queue">
          {all.map((request) => (
            <RequestRow key={request.id} request={request} />
          ))}
        </ul>
      )}
    </section>
  )
}

function RequestRow({ request }: { request: AccessRequest }) {
  const { requestedBy: agent, scopes, purpose, requestedAt: at, expiresAt: until } = request
  return (
    <li class="memory-row">
      <p class="memory-text">
        <strong>
          <bdi>{agent}</bdi>
        </strong>{' '}
        asks to read {scopes.map(scopeWord).join(', ')}.
      </p>
      <blockquote class="quoted" dir="auto">
        {purpose.description}
      </blockquote>
      <p class="memory-facts">
        {purpose.type !== undefined && <span>{capital(purpose.type.replaceAll('_', ' '))}</span>}
        <span>
          asked <Time at={at} />
        </span>
        <span>
          expires <Time at={until} />
        </span>
      </p>
      <div class="row-acts">
        <RowAct word="Grant for 24 hours" of={agent} primary onAct={() => decideRequest(request, 'grant')} />
        <RowAct word="Deny" of={agent} onAct={() => decideRequest(request, 'deny')} />
      </div>
    </li>
  )
}

const states = { active: 'Active', off: 'Off', expired: 'Expired' } as const

function PolicyRow({ policy }: { policy: Policy }) {
  const { name, description, forAgents: agents, state, priority, enabled, expiresAt: until } = policy
  const of = name ?? agents
  return (
    <li class="memory-row">
      {name !== undefined && <h3>{name}</h3>}
      {description !== undefined && <p class="quiet">{description}</p>}
      <ul class="sentences">
        {policySentences(policy).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <p class="memory-facts">
        <span class={`state state-${state}`}>{states[state]}</span>
        <span>Priority {priority}</span>
        {until !== undefined && (
          <span>
            until <Time at={until} />
          </span>
        )}
      </p>
      <div class="row-acts">
        <RowAct word="Edit" of={of} onAct={() => (editing.value = policy)} />
        <RowAct
          word={enabled ? 'Switch off' : 'Switch on'}
          of={of}
          onAct={() => switchPolicy(policy, !enabled)}
        />
        <RowAct word="Remove" of={of} onAct={() => (removing.value = policy)} />
      </div>
    </li>
  )
}

function RemoveQuestion({ policy }: { policy: Policy }) {
  return (
    <Question
      title="Remove this policy?"
      onClose={() => (removing.value = undefined)}
      act="Remove policy"
      onAct={() => removePolicy(policy)}
      isDanger
    >
      <ul class="sentences">
        {policySentences(policy).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <p>
        From the next call on, agents lose access that only this policy allowed, and may gain access that only
        it denied.
      </p>
    </Question>
  )
}

function ReceiptList() {
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
      {hasMoreReceipts.value && <More onMore={loadMoreReceipts}>Show older receipts</More>}
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
      <p class="memory-facts">
        <span class={`state state-${state}`}>{capital(state)}</span>
        <span>{method === 'policy_match' ? 'granted by policy' : 'granted by you'}</span>
        <span>
          {state === 'active' ? 'until' : 'ended'} <Time at={receipt.revokedAt ?? until} />
        </span>
      </p>
      {state === 'active' && (
        <div class="row-acts">
          <RowAct word="Revoke" of={agent} onAct={() => revokeReceipt(receipt)} />
        </div>
      )}
    </li>
  )
}
