// The head of a record that is put.
// Invariant: what every copy must be able to read is never sealed. What comes back from elsewhere, in a bundle, a backup or an
// archive, never makes a record of this book less guarded: that takes a verb which says so.
import { DaybookError } from '../../../core/errors.ts'
import { isOpenKind, type Kind } from '../../../core/kind.ts'
import type { PutRequest } from '../../../core/put-request.ts'
import type { Scope } from '../../../core/record.ts'
import { isSealing, mostGuarded, type Sensitivity } from '../../../core/sealed.ts'
import type { RecordRow } from '../../../store/schema/record-row.ts'

/** A head that comes back from elsewhere, as guarded as the record that stands in its place at least. */
export function headFromElsewhere<Head extends { readonly sensitivity?: Sensitivity | undefined }>(
  head: Head,
  stands: { readonly sensitivity: string | null } | undefined,
  kind: Pick<Kind, 'sensitivity'> | undefined,
): Head {
  if (!stands) return head
  const here = (stands.sensitivity as Sensitivity | null) ?? kind?.sensitivity
  const sensitivity = mostGuarded(head.sensitivity, here)
  return sensitivity === head.sensitivity ? head : { ...head, sensitivity }
}

/** Times, scope and sensitivity of a record: what is asked for, else what it had, else what is usual. */
export function headOf(
  { now, defaults }: { readonly now: string; readonly defaults: Scope },
  { kind: name, scope: own = {}, times }: PutRequest,
  kind: Kind,
  kept: RecordRow | undefined,
) {
  const usual: Partial<Scope> = kept || times ? {} : defaults
  const session = own.session ?? kept?.session ?? usual.session
  const resource = own.resource ?? kept?.resource ?? usual.resource
  const sensitivity =
    own.sensitivity ?? ((kept?.sensitivity as Sensitivity | null | undefined) || kind.sensitivity)
  if (isSealing(sensitivity) && isOpenKind(kind)) {
    throw new DaybookError('invalid-input', `\`sensitivity\`: Every copy must be able to read a ${name}.`, {
      details: { path: 'sensitivity' },
    })
  }
  return {
    at: times?.updated_at ?? now,
    created_at: times?.created_at ?? kept?.created_at ?? now,
    agent: own.agent ?? kept?.agent ?? defaults.agent,
    ...(session == null ? {} : { session }),
    ...(resource == null ? {} : { resource }),
    ...(sensitivity === undefined ? {} : { sensitivity }),
  }
}
