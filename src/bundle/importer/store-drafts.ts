// Stores the records of an imported file in one transaction.
import { checkAborted } from '../../core/abort.ts'
import type { TaskContext } from '../../core/capability/context.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import type { PutRequest } from '../../core/record.ts'
import { distinctDrafts, type Draft, type Drafts } from './draft.ts'
import { invalidFile } from './parse-file.ts'

/** Stores the drafts that the book neither has nor has forgotten. `dryRun`: only counts. `name`: of the file. */
export async function storeDrafts(
  drafts: Drafts,
  { name, dryRun = false }: { readonly name: string; readonly dryRun?: boolean | undefined },
  at: TaskContext<'records' | 'transfer'>,
) {
  const { records, omitted, session } = distinctDrafts(drafts)
  if (records.length === 0) throw invalidFile(name, '', 'The file has nothing to import')
  checkAborted(at.call.signal)
  const total = records.length
  at.call.progress({ done: 0, total, subject: name })
  const { imported, secrets } = await at.records.write((write) => {
    let newCount = 0
    for (const draft of records) {
      if (write.records.get(draft.id) || write.records.wasForgotten(draft.id)) continue
      newCount += 1
      if (!dryRun) withPlace(name, draft, (request) => write.records.put(request))
    }
    return { imported: newCount, secrets: write.transfer.secrets() }
  })
  at.call.progress({ done: total, total, subject: name })
  return { imported, skipped: total - imported, omitted, session, ids: records.map(({ id }) => id), secrets }
}

/** Calls `put` with the record of a draft. Adds file and place to the error of a record that can't be stored. */
function withPlace(
  name: string,
  { place, times, ...record }: Draft,
  put: (request: PutRequest) => void,
): void {
  try {
    put({ ...record, ...defined({ times }) })
  } catch (cause) {
    if (!isDaybookError(cause, 'too-large') && !isDaybookError(cause, 'invalid-input')) throw cause
    const details = { ...cause.details, file: name, path: place }
    throw new DaybookError(cause.code, `${name}, ${place}: ${cause.message}`, { details, cause })
  }
}
