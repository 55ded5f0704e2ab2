// Stores the records of an imported file in one transaction.
import { checkAborted } from '../../core/abort.ts'
import type { TaskContext, WriteContext } from '../../core/capability/context.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import type { PutRequest } from '../../core/record.ts'
import type { SecretCount } from '../../core/secret/stored-secrets.ts'
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
  const storeNew = (write: WriteContext<'records' | 'transfer'>): Stored => {
    let newCount = 0
    for (const draft of records) {
      if (write.records.get(draft.id) || write.records.wasForgotten(draft.id)) continue
      newCount += 1
      withPlace(name, draft, (request) => write.records.put(request))
    }
    return { imported: newCount, secrets: write.transfer.secrets() }
  }
  const { imported, secrets } = await (dryRun ? tryOut(at, storeNew) : at.records.write(storeNew))
  at.call.progress({ done: total, total, subject: name })
  return { imported, skipped: total - imported, omitted, session, ids: records.map(({ id }) => id), secrets }
}

interface Stored {
  readonly imported: number
  readonly secrets: SecretCount[]
}

/** Runs `work` in a transaction, and undoes it: so it meets the limits and secrets that an import would meet. */
async function tryOut(
  at: TaskContext<'records' | 'transfer'>,
  work: (write: WriteContext<'records' | 'transfer'>) => Stored,
): Promise<Stored> {
  let found: Stored | undefined
  // Ends the transaction without a change.
  const end = new DaybookError('aborted')
  try {
    await at.records.write((write) => {
      found = work(write)
      throw end
    }, 'every-run')
  } catch (error) {
    if (error !== end || !found) throw error
    return found
  }
  throw end
}

/** Calls `put` with the record of a draft. Adds file and place to the error of a record that can't be stored. */
function withPlace(
  name: string,
  { place, times, scope, ...record }: Draft,
  put: (request: PutRequest) => void,
): void {
  try {
    // The file of another program proves no writer.
    put({ ...record, scope: { ...scope, trust: 'external' }, ...defined({ times }) })
  } catch (cause) {
    if (!isDaybookError(cause, 'too-large') && !isDaybookError(cause, 'invalid-input')) throw cause
    const details = { ...cause.details, file: name, path: place }
    throw new DaybookError(cause.code, `${name}, ${place}: ${cause.message}`, { details, cause })
  }
}
