// Dialogs of tokens: grant one with its rights in sentences, show its text once, revoke one.
import { Check, ChoiceField, Suggestions, TextField } from '../../parts/field/form-field.tsx'
import { type Signal, useSignal } from '@preact/signals'
import { Dialog, FormDialog } from '../../parts/dialog.tsx'
import { useAnswer, useUnmountSignal, useSubmit } from '../../parts/hook.ts'
import { book } from '../../state/book.ts'
import { now } from '../../page/clock.ts'
import { closeDialog } from '../../state/dialog.ts'
import { granted, grantParent, grantToken, revokeQuestion, revokeToken } from '../../state/trust/token.ts'
import { tokenWords } from '../../kind/token-word.ts'
import { OpeningNote } from '../shell/opening-note.tsx'
import { localInput } from '../../wording/time-word.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { status } from '../../state/status.ts'
import { countOf } from '../../wording/text-word.ts'
import type { Token } from '../../kind/token-kind.ts'

const builtInTypes = ['capability_grant', 'resource_access', 'delegation', 'session']
const scopes = ['**', 'trace:**', 'fact:**', 'perception:**', 'skill:**', 'message:**']
const dayMs = 86_400_000

/** The fields of a new token. With a parent they start as those of the parent. */
function useGrant(parent: Token | undefined) {
  const holder = useSignal('')
  const type = useSignal(parent?.type ?? 'capability_grant')
  const scope = useSignal(parent?.scope ?? 'trace:**')
  const permissions = useSignal<readonly string[]>(
    parent ? parent.permissions.filter((one) => one !== 'delegation') : ['read'],
  )
  const until = useSignal(
    new Date(Math.min(Date.now() + dayMs, parent ? Date.parse(parent.expires_at) : Infinity)).toISOString(),
  )
  const input = {
    granted_to: holder.value.trim(),
    type: type.value,
    scope: scope.value.trim(),
    permissions: [...permissions.value],
    expires_at: until.value,
  }
  return { holder, type, scope, permissions, until, input }
}

export function GrantDialog() {
  const parent = grantParent.peek()
  const unmounted = useUnmountSignal()
  const { holder, type, scope, permissions, until, input } = useGrant(parent)
  const { failure, submit } = useSubmit(() =>
    grantToken({ ...input, ...(parent ? { parent: parent.token_id } : {}) }, unmounted),
  )
  const { value: registered = [] } = useAnswer(
    async () => (await book.peek()?.tokens.types.list())?.records.map(({ name }) => name) ?? [],
    [],
  )
  if (granted.value) return <GrantedToken />
  const types = [...new Set([...builtInTypes, ...registered, type.value])]
  return (
    <FormDialog
      title={parent ? `Delegate from the token of ${parent.granted_to}` : 'Grant a token'}
      wide
      onClose={closeDialog}
      act="Grant token"
      onAct={submit}
      isReady={input.granted_to !== '' && input.scope !== '' && input.permissions.length > 0}
      failed="Not granted."
      failure={failure}
    >
      <div class="field-row">
        <TextField
          label="Holder: the name of an agent, or its did:key"
          of={holder}
          spellcheck={false}
          placeholder="agent:helper"
        />
        <ChoiceField
          label="Type"
          words={Object.fromEntries(types.map((one) => [one, one.replaceAll('_', ' ')]))}
          value={type.value}
          onChoose={(value) => (type.value = value)}
        />
      </div>
      <TextField
        label="Scope: which records; * is one part of a name, ** the rest"
        of={scope}
        class="input mono"
        list="grant-scopes"
        spellcheck={false}
      />
      <Suggestions id="grant-scopes" values={scopes} />
      <PermissionField permissions={permissions} />
      <ExpiryField until={until} latest={parent?.expires_at} />
      <div class="token-preview" role="status" aria-label="What it allows">
        {tokenWords(input, now.peek()).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
      <OpeningNote />
    </FormDialog>
  )
}

const knownPermissions = [
  ['read', 'read, search, recall'],
  ['write', 'store and change'],
  ['forget', 'forget'],
  ['export', 'export'],
  ['sync', 'sync'],
  ['delegation', 'delegate'],
] as const
const isKnown = (permission: string) => knownPermissions.some(([name]) => name === permission)

/** The permissions that the book knows, and others as the owner writes them. */
function PermissionField({ permissions }: { permissions: Signal<readonly string[]> }) {
  const others = useSignal(
    permissions
      .peek()
      .filter((one) => !isKnown(one))
      .join(', '),
  )
  const setOthers = (text: string) => {
    others.value = text
    const words = text.split(',').map((word) => word.trim())
    permissions.value = [...new Set([...permissions.peek().filter(isKnown), ...words.filter(Boolean)])]
  }
  return (
    <fieldset class="fields-form">
      <legend>Permissions</legend>
      <div class="kind-grid">
        {knownPermissions.map(([name, words]) => (
          <Check
            key={name}
            value={permissions.value.includes(name)}
            onValue={(isOn) => {
              const rest = permissions.value.filter((one) => one !== name)
              permissions.value = isOn ? [...rest, name] : rest
            }}
          >
            {words}
          </Check>
        ))}
      </div>
      <TextField
        label="Other permissions, comma-separated, such as kstar:query_traces"
        value={others.value}
        onValue={setOthers}
        class="input mono"
        spellcheck={false}
      />
    </fieldset>
  )
}

const spans = [
  ['1 hour', 3_600_000],
  ['1 day', dayMs],
  ['30 days', 30 * dayMs],
  ['1 year', 365 * dayMs],
] as const

/** The expiry of a token: an instant in the reader's zone, or a span from now; never later than its parent's. */
function ExpiryField({ until, latest }: { until: Signal<string>; latest: string | undefined }) {
  const pick = (ms: number) => {
    const wanted = Date.now() + ms
    until.value = new Date(latest === undefined ? wanted : Math.min(wanted, Date.parse(latest))).toISOString()
  }
  return (
    <div class="expiry">
      <TextField
        label="Until"
        type="datetime-local"
        required
        value={localInput(until.value)}
        onValue={(text) => {
          const ms = Date.parse(text)
          if (!Number.isNaN(ms)) until.value = new Date(ms).toISOString()
        }}
      />
      <div class="expiry-spans" role="group" aria-label="From now">
        {spans.map(([name, ms]) => (
          <button key={name} type="button" class="button small" onClick={() => pick(ms)}>
            {name}
          </button>
        ))}
      </div>
    </div>
  )
}

/** A new token, as the text that its holder presents. */
function GrantedToken() {
  const token = granted.value
  if (!token) return null
  return (
    <Dialog title="The token is granted" onClose={closeDialog}>
      <p>
        Agents in this page use it by its id: <code>{'{ as: '}</code>
        <code>{token.token_id}</code>
        <code>{' }'}</code>.
      </p>
      {token.bearer === undefined ? (
        <p>
          The tab that granted it was closed before the bearer text could be shown. That text is not stored:
          revoke this token and grant another if you need it.
        </p>
      ) : (
        <>
          <p>
            Over HTTP, the holder sends this text as a bearer token. It is shown only once and not stored.
            Anyone with this token has this access. Share it over a private channel.
          </p>
          <textarea
            class="input code-input"
            rows={5}
            readOnly
            aria-label="Bearer text"
            value={token.bearer}
          />
        </>
      )}
      <div class="dialog-actions">
        {token.bearer !== undefined && <CopyButton text={token.bearer} of="bearer text" word />}
        <span class="spacer" />
        <button type="button" class="button primary" onClick={closeDialog}>
          Done
        </button>
      </div>
    </Dialog>
  )
}

export function RevokeDialog() {
  const question = revokeQuestion.value
  const reason = useSignal('')
  if (!question) return null
  const { token, below } = question
  return (
    <FormDialog
      title="Revoke this token?"
      onClose={closeDialog}
      act="Revoke token"
      onAct={() => revokeToken(reason.value.trim())}
      isDanger
    >
      <blockquote class="quoted" dir="auto">
        {token.granted_to} <code>{token.scope}</code>
      </blockquote>
      <ul class="plain-list">
        <li>Access ends immediately. This cannot be undone; you can grant a new token.</li>
        {below > 0 && <li>{countOf(below, 'delegated token is', 'delegated tokens are')} revoked too.</li>}
        {status.value?.sync.configured && <li>Synced immediately.</li>}
      </ul>
      <TextField label="Reason (kept in history)" of={reason} maxLength={2000} />
    </FormDialog>
  )
}
