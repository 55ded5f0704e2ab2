// The view of policies: what agents ask for, what they may read, in sentences, and the receipts that they have.
import { Dialog } from '../../parts/dialog.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Time } from '../../parts/time.tsx'
import {
  decideRequest,
  editing,
  loadPolicies,
  policies,
  policiesFailure,
  type Policy,
  removePolicy,
  removing,
  switchPolicy,
} from '../../state/consent/policies.ts'
import { type AccessRequest, requests } from '../../state/consent/queue.ts'
import { policySentences, scopeWord } from '../../wording/policy-word.ts'
import { capital } from '../../wording/text-word.ts'
import { ConsentPage } from './consent-page.tsx'
import { PolicyDialog } from './policy-dialog.tsx'
import { ReceiptList } from './receipt-list.tsx'

export function PolicyView() {
  const all = policies.value
  return (
    <ConsentPage title="Policies">
      {policiesFailure.value !== undefined && (
        <ErrorNotice
          title="The policies could not be read."
          error={policiesFailure.value}
          retry={() => void loadPolicies()}
        />
      )}
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
    </ConsentPage>
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
  const of = <span class="hidden"> {agent}</span>
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
      <p class="memory-said">
        {purpose.type !== undefined && <span>{capital(purpose.type.replaceAll('_', ' '))}</span>}
        <span>
          asked <Time at={at} />
        </span>
        <span>
          expires <Time at={until} />
        </span>
      </p>
      <div class="row-acts">
        <button
          type="button"
          class="button small primary"
          onClick={() => void decideRequest(request, 'grant')}
        >
          Grant for 24 hours{of}
        </button>
        <button type="button" class="button small" onClick={() => void decideRequest(request, 'deny')}>
          Deny{of}
        </button>
      </div>
    </li>
  )
}

const states = { active: 'Active', off: 'Off', expired: 'Expired' } as const

function PolicyRow({ policy }: { policy: Policy }) {
  const { name, description, forAgents: agents, state, priority, enabled, expiresAt: until } = policy
  const of = <span class="hidden"> {name ?? agents}</span>
  return (
    <li class="memory-row">
      {name !== undefined && <h3>{name}</h3>}
      {description !== undefined && <p class="quiet">{description}</p>}
      <ul class="sentences">
        {policySentences(policy).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <p class="memory-said">
        <span class={`state state-${state}`}>{states[state]}</span>
        <span>Priority {priority}</span>
        {until !== undefined && (
          <span>
            until <Time at={until} />
          </span>
        )}
      </p>
      <div class="row-acts">
        <button type="button" class="button small" onClick={() => (editing.value = policy)}>
          Edit{of}
        </button>
        <button type="button" class="button small" onClick={() => void switchPolicy(policy, !enabled)}>
          {enabled ? 'Switch off' : 'Switch on'}
          {of}
        </button>
        <button type="button" class="button small" onClick={() => (removing.value = policy)}>
          Remove{of}
        </button>
      </div>
    </li>
  )
}

function RemoveQuestion({ policy }: { policy: Policy }) {
  const close = () => (removing.value = undefined)
  return (
    <Dialog title="Remove this policy?" onClose={close}>
      <ul class="sentences">
        {policySentences(policy).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <p>
        From the next call on, agents lose access that only this policy allowed, and may gain access that only
        it denied.
      </p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="button danger" onClick={() => void removePolicy(policy)}>
          Remove policy
        </button>
      </div>
    </Dialog>
  )
}
