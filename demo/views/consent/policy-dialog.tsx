// Makes a policy or changes one; what it would say stands below the fields as sentences.
import { useSignal } from '@preact/signals'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { editing, inputOf, type Policy, type PolicyInput, savePolicy } from '../../state/consent/policies.ts'
import { policySentences } from '../../wording/policy-word.ts'

const depths = {
  read_scoped: 'Nothing sensitive or restricted',
  read_full: 'Sensitive too; restricted where named',
  read_public: 'Only what is public',
  none: 'Nothing (block this agent)',
} as const
type Depth = keyof typeof depths

interface Draft {
  readonly name: string
  readonly agents: string
  readonly allow: string
  readonly deny: string
  readonly depth: Depth
  readonly proposes: boolean
  readonly https: boolean
  readonly start: string
  readonly end: string
  readonly calls: string
  readonly window: string
  readonly retention: string
  readonly priority: string
  readonly until: string
}

type Conditions = Readonly<Record<string, unknown>>
const record = (value: unknown) => (typeof value === 'object' && value !== null ? (value as Conditions) : {})
const text = (value: unknown) => (value === undefined ? '' : String(value))

function draftOf(policy: Policy | undefined): Draft {
  const conditions = record(policy?.conditions)
  const { start, end } = record(conditions['timeOfDay'])
  const { requests, window } = record(conditions['rateLimit'])
  const permissions = policy?.permissions ?? ['read_scoped']
  const order = ['read_full', 'read_scoped', 'read_public'] as const
  const isOut = permissions.every((one) => one === 'none')
  return {
    name: policy?.name ?? '',
    agents: policy?.forAgents ?? '',
    allow: (policy?.allow ?? ['a2p:preferences']).join('\n'),
    deny: (policy?.deny ?? []).join('\n'),
    depth: isOut ? 'none' : (order.find((one) => permissions.includes(one)) ?? 'read_full'),
    proposes: permissions.includes('propose') || permissions.includes('write'),
    https: conditions['requireHttps'] === true,
    start: text(start),
    end: text(end),
    calls: text(requests),
    window: window === undefined ? '1h' : text(window),
    retention: text(conditions['maxDataRetention']),
    priority: text(policy?.priority ?? 100),
    until: policy?.expiresAt?.slice(0, 10) ?? '',
  }
}

const lines = (said: string) => said.split(/[\s,]+/).filter(Boolean)
const named = new Set(['requireHttps', 'timeOfDay', 'rateLimit', 'maxDataRetention'])

function inputFrom(draft: Draft, policy: Policy | undefined): PolicyInput {
  const { name, agents, allow, deny, depth, proposes, until } = draft
  // What this form has no field for stays as it was.
  const others = Object.entries(record(policy?.conditions)).filter(([one]) => !named.has(one))
  const zone = record(record(policy?.conditions)['timeOfDay'])['timezone']
  const conditions = {
    ...Object.fromEntries(others),
    ...(draft.https ? { requireHttps: true } : {}),
    ...(draft.start !== '' || draft.end !== ''
      ? {
          timeOfDay: {
            start: draft.start,
            end: draft.end,
            ...(zone === undefined ? {} : { timezone: zone }),
          },
        }
      : {}),
    ...(draft.calls !== '' ? { rateLimit: { requests: Number(draft.calls), window: draft.window } } : {}),
    ...(draft.retention !== '' ? { maxDataRetention: draft.retention } : {}),
  }
  const proposing = policy?.permissions.includes('write') ? 'write' : 'propose'
  const isSameDay = policy?.expiresAt?.slice(0, 10) === until
  const { description } = policy ? inputOf(policy) : {}
  return {
    ...(policy ? { id: policy.id } : {}),
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    ...(description === undefined ? {} : { description }),
    forAgents: agents.trim(),
    allow: depth === 'none' ? [] : lines(allow),
    deny: lines(deny),
    permissions: depth === 'none' ? ['none'] : proposes ? [depth, proposing] : [depth],
    ...(Object.keys(conditions).length > 0 ? { conditions } : {}),
    priority: Number(draft.priority),
    enabled: policy?.enabled ?? true,
    ...(until === '' ? {} : { expiresAt: isSameDay && policy?.expiresAt ? policy.expiresAt : until }),
  } as PolicyInput
}

export function PolicyDialog({ policy }: { policy: Policy | undefined }) {
  const draft = useSignal(draftOf(policy))
  const failure = useSignal<unknown>(undefined)
  const now = draft.value
  const change = (some: Partial<Draft>) => (draft.value = { ...draft.value, ...some })
  const close = () => (editing.value = undefined)
  const input = inputFrom(now, policy)
  const field = (name: keyof Draft, label: string, more: object = {}) => (
    <label class="labelled">
      {label}
      <input
        class="input"
        autocomplete="off"
        spellcheck={false}
        value={String(now[name])}
        onInput={({ currentTarget }) => change({ [name]: currentTarget.value })}
        {...more}
      />
    </label>
  )
  const area = (name: 'allow' | 'deny', label: string, hint: string) => (
    <label class="labelled">
      {label}
      <textarea
        class="input code-input"
        rows={2}
        spellcheck={false}
        placeholder={hint}
        value={now[name]}
        onInput={({ currentTarget }) => change({ [name]: currentTarget.value })}
      />
    </label>
  )
  const check = (name: 'proposes' | 'https', label: string) => (
    <label class="check">
      <input
        type="checkbox"
        checked={now[name]}
        onChange={({ currentTarget }) => change({ [name]: currentTarget.checked })}
      />
      {label}
    </label>
  )
  return (
    <Dialog title={policy ? 'Edit policy' : 'Add a policy'} onClose={close} wide>
      <form
        class="fields-form"
        onSubmit={(event) => {
          event.preventDefault()
          void savePolicy(input).then((error) => (failure.value = error))
        }}
      >
        <div class="field-row">
          {field('agents', 'Agents (name or DID; * stands for any characters)', {
            required: true,
            placeholder: 'did:a2p:agent:local:*',
          })}
          {field('name', 'Name (optional)', { maxLength: 100 })}
        </div>
        <label class="labelled">
          May read
          <select
            class="input"
            value={now.depth}
            onChange={({ currentTarget }) => change({ depth: currentTarget.value as Depth })}
          >
            {Object.entries(depths).map(([depth, word]) => (
              <option key={depth} value={depth}>
                {word}
              </option>
            ))}
          </select>
        </label>
        {now.depth !== 'none' && area('allow', 'Only these scopes, one per line', 'a2p:preferences')}
        {area('deny', 'Never these scopes, one per line', 'a2p:health')}
        {now.depth !== 'none' && check('proposes', 'May propose memories')}
        <details open={Object.keys(record(policy?.conditions)).length > 0}>
          <summary>Conditions</summary>
          <div class="fields-form conditions">
            {check('https', 'Only over HTTPS')}
            <div class="field-row">
              {field('start', 'From', { type: 'time' })}
              {field('end', 'To', { type: 'time' })}
              {field('calls', 'Maximum calls', { type: 'number', min: 1, max: 100_000 })}
              {field('window', 'Within', { placeholder: '1h' })}
            </div>
            <div class="field-row">
              {field('retention', 'Requested retention', { placeholder: '7d or session_only' })}
              {field('priority', 'Priority (lower is first)', { type: 'number', min: 0, required: true })}
              {field('until', 'Expires on', { type: 'date' })}
            </div>
          </div>
        </details>
        <div class="policy-preview" aria-live="polite">
          <p class="faint">This policy:</p>
          <ul class="sentences">
            {policySentences({ ...input, allow: input.allow ?? [], deny: input.deny ?? [] }).map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </div>
        {failure.value !== undefined && (
          <ErrorNotice title="The policy was not saved." error={failure.value} />
        )}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary">
            {policy ? 'Save' : 'Add policy'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
