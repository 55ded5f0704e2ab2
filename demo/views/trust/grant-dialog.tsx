// Grants a token: to whom, what, where, until when, with what that means in plain words before it is signed.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { useAnswer } from '../../parts/use-answer.ts'
import { useGone } from '../../parts/use-gone.ts'
import { book } from '../../state/book.ts'
import { now } from '../../page/clock.ts'
import { closeDialog } from '../../state/dialog.ts'
import { granted, grantParent, grantToken } from '../../state/trust/token.ts'
import { tokenWords } from '../../kind/token-word.ts'
import { ExpiryField } from './expiry-field.tsx'
import { GrantedToken } from './granted-token.tsx'
import { OpeningNote } from '../shell/opening-note.tsx'
import { PermissionField } from './permission-field.tsx'

const builtInTypes = ['capability_grant', 'resource_access', 'delegation', 'session']
const scopes = ['**', 'trace:**', 'fact:**', 'perception:**', 'skill:**', 'message:**']
const dayMs = 86_400_000

export function GrantDialog() {
  const parent = grantParent.peek()
  const id = useId()
  const gone = useGone()
  const holder = useSignal('')
  const type = useSignal(parent?.type ?? 'capability_grant')
  const scope = useSignal(parent?.scope ?? 'trace:**')
  const permissions = useSignal<readonly string[]>(
    parent ? parent.permissions.filter((one) => one !== 'delegation') : ['read'],
  )
  const until = useSignal(
    new Date(Math.min(Date.now() + dayMs, parent ? Date.parse(parent.expires_at) : Infinity)).toISOString(),
  )
  const error = useSignal<unknown>(undefined)
  const { value: registered = [] } = useAnswer(
    async () => (await book.peek()?.tokens.types.list())?.records.map(({ name }) => name) ?? [],
    [],
  )
  if (granted.value) return <GrantedToken />
  const asked = {
    granted_to: holder.value.trim(),
    type: type.value,
    scope: scope.value.trim(),
    permissions: [...permissions.value],
    expires_at: until.value,
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    error.value = undefined
    try {
      await grantToken({ ...asked, ...(parent ? { parent: parent.token_id } : {}) }, gone)
    } catch (failure) {
      error.value = failure
    }
  }
  const isFilled = asked.granted_to !== '' && asked.scope !== '' && asked.permissions.length > 0
  return (
    <Dialog
      title={parent ? `Delegate from the token of ${parent.granted_to}` : 'Grant a token'}
      onClose={closeDialog}
      wide
    >
      <form class="fields-form" onSubmit={(event) => void submit(event)}>
        <div class="field-row">
          <label class="labelled" for={`${id}-holder`}>
            Holder: the name of an agent, or its did:key
            <input
              id={`${id}-holder`}
              class="input"
              type="text"
              autocomplete="off"
              spellcheck={false}
              placeholder="agent:helper"
              value={holder.value}
              onInput={(event) => (holder.value = event.currentTarget.value)}
            />
          </label>
          <label class="labelled" for={`${id}-type`}>
            Type
            <select
              id={`${id}-type`}
              class="input"
              value={type.value}
              onChange={(event) => (type.value = event.currentTarget.value)}
            >
              {[...new Set([...builtInTypes, ...registered, type.value])].map((one) => (
                <option key={one} value={one}>
                  {one.replaceAll('_', ' ')}
                </option>
              ))}
            </select>
          </label>
        </div>
        <label class="labelled" for={`${id}-scope`}>
          Scope: which records; * is one part of a name, ** the rest
          <input
            id={`${id}-scope`}
            class="input mono"
            type="text"
            list={`${id}-scopes`}
            autocomplete="off"
            spellcheck={false}
            value={scope.value}
            onInput={(event) => (scope.value = event.currentTarget.value)}
          />
        </label>
        <datalist id={`${id}-scopes`}>
          {scopes.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <PermissionField permissions={permissions} />
        <ExpiryField until={until} latest={parent?.expires_at} />
        <div class="token-preview" role="status" aria-label="What it allows">
          {tokenWords(asked, now.peek()).map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
        {error.value !== undefined && <ErrorNotice title="Not granted." error={error.value} />}
        <OpeningNote />
        <div class="dialog-actions">
          <button type="button" class="button" onClick={closeDialog}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={!isFilled}>
            Grant token
          </button>
        </div>
      </form>
    </Dialog>
  )
}
