// The names that a put brings into a book. Invariant: no secret of known form is among them; what a bundle brings keeps its own.
import type { RecordHead } from '../../../core/record.ts'
import type { RecordRow } from '../../../store/schema/record-row.ts'
import type { SecretGuard } from '../secret-guard.ts'

interface NewNames {
  /** Of a record that was not there. */
  readonly id: string | undefined
  readonly head: Partial<Pick<RecordHead, 'session' | 'resource' | 'agent'>>
  readonly live: RecordRow | undefined
}

export function checkNames(secrets: Pick<SecretGuard, 'checkNames'>, { id, head, live }: NewNames): void {
  const { session, resource, agent } = head
  secrets.checkNames({
    id,
    ...(session === live?.session ? {} : { session }),
    ...(resource === live?.resource ? {} : { resource }),
    ...(agent === live?.agent ? {} : { agent }),
  })
}
