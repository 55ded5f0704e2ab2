// Adds or edits a policy. Sentences below the fields describe it.
import { FormDialog } from '../../parts/dialog.tsx'
import { Check, ChoiceField, TextArea, TextField } from '../../parts/field/form-field.tsx'
import { useSubmit } from '../../parts/hook.ts'
import type { ComponentProps } from 'preact'
import { useSignal } from '@preact/signals'
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

type Fields = Readonly<Record<string, unknown>>
const record = (value: unknown) => (typeof value === 'object' && value !== null ? (value as Fields) : {})
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

const lines = (written: string) => written.split(/[\s,]+/).filter(Boolean)
const named = new Set(['requireHttps', 'timeOfDay', 'rateLimit', 'maxDataRetention'])

function inputFrom(draft: Draft, policy: Policy | undefined): PolicyInput {
  const { name, agents, allow, deny, depth, proposes, until } = draft
  // Conditions without a field here stay unchanged.
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

interface FieldsProps {
  readonly draft: Draft
  readonly change: (some: Partial<Draft>) => void
}

/** A line of text of the draft. Further attributes are those of `<input>`. */
function Line({ name, label, draft, change, ...others }: FieldsProps & LineProps) {
  return (
    <TextField
      label={label}
      spellcheck={false}
      value={String(draft[name])}
      onValue={(text) => change({ [name]: text })}
      {...others}
    />
  )
}

type LineProps = { readonly name: keyof Draft; readonly label: string } & Omit<
  ComponentProps<'input'>,
  'label' | 'name' | 'value' | 'onInput'
>

/** Scopes of the draft, one per line. */
function Scopes({ name, label, hint, draft, change }: FieldsProps & ScopesProps) {
  return (
    <TextArea
      label={label}
      class="input code-input"
      rows={2}
      spellcheck={false}
      placeholder={hint}
      value={draft[name]}
      onValue={(text) => change({ [name]: text })}
    />
  )
}

interface ScopesProps {
  readonly name: 'allow' | 'deny'
  readonly label: string
  readonly hint: string
}

function Conditions(form: FieldsProps) {
  const { draft, change } = form
  return (
    <div class="fields-form conditions">
      <Check value={draft.https} onValue={(https) => change({ https })}>
        Only over HTTPS
      </Check>
      <div class="field-row">
        <Line {...form} name="start" label="From" type="time" />
        <Line {...form} name="end" label="To" type="time" />
        <Line {...form} name="calls" label="Maximum calls" type="number" min={1} max={100_000} />
        <Line {...form} name="window" label="Within" placeholder="1h" />
      </div>
      <div class="field-row">
        <Line {...form} name="retention" label="Requested retention" placeholder="7d or session_only" />
        <Line {...form} name="priority" label="Priority (lower is first)" type="number" min={0} required />
        <Line {...form} name="until" label="Expires on" type="date" />
      </div>
    </div>
  )
}

export function PolicyDialog({ policy }: { policy: Policy | undefined }) {
  const draft = useSignal(draftOf(policy))
  const change = (some: Partial<Draft>) => (draft.value = { ...draft.value, ...some })
  const form = { draft: draft.value, change }
  const { depth, proposes } = draft.value
  const input = inputFrom(draft.value, policy)
  const { failure, submit } = useSubmit(() => savePolicy(input))
  return (
    <FormDialog
      title={policy ? 'Edit policy' : 'Add a policy'}
      wide
      onClose={() => (editing.value = undefined)}
      act={policy ? 'Save' : 'Add policy'}
      onAct={submit}
      failed="The policy was not saved."
      failure={failure}
    >
      <div class="field-row">
        <Line
          {...form}
          name="agents"
          label="Agents (name or DID; * matches any characters)"
          required
          placeholder="did:a2p:agent:local:*"
        />
        <Line {...form} name="name" label="Name (optional)" maxLength={100} />
      </div>
      <ChoiceField
        label="May read"
        words={depths}
        value={depth}
        onChoose={(value) => change({ depth: value as Depth })}
      />
      {depth !== 'none' && (
        <Scopes {...form} name="allow" label="Only these scopes, one per line" hint="a2p:preferences" />
      )}
      <Scopes {...form} name="deny" label="Never these scopes, one per line" hint="a2p:health" />
      {depth !== 'none' && (
        <Check value={proposes} onValue={(isOn) => change({ proposes: isOn })}>
          May propose memories
        </Check>
      )}
      <details open={Object.keys(record(policy?.conditions)).length > 0}>
        <summary>Conditions</summary>
        <Conditions {...form} />
      </details>
      <div class="policy-preview" aria-live="polite">
        <p class="faint">This policy:</p>
        <ul class="sentences">
          {policySentences({ ...input, allow: input.allow ?? [], deny: input.deny ?? [] }).map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      </div>
    </FormDialog>
  )
}
