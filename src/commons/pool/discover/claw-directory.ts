// The claws that have told the group what they can do.
// Invariant: who may read a record is asked at every call; nothing of an answer is kept for the next one.
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { filterLimits } from '../../../core/filter/filter.ts'
import { bodyOf } from '../../../core/record.ts'
import { type ClawBody, clawBody } from '../pool-kind.ts'

export type Said = Pick<
  ClawBody,
  'claw' | 'display_name' | 'model' | 'capabilities' | 'keys' | 'announced_at'
>

/** The records as the caller sees them, and the group whose claws are meant. */
interface Directory {
  readonly records: Pick<RecordReader, 'query'>
  readonly group: string
}

const pageLimit = 1000

function read({ records, group }: Directory, filters?: object): Said[] {
  const found: Said[] = []
  let cursor: string | undefined
  do {
    const page = records.query({ kind: 'pool_claw', filters, orderBy: 'claw', limit: pageLimit, cursor })
    for (const record of page.records) {
      const { data } = clawBody.safeParse(bodyOf(record))
      if (data?.group === group) found.push(data)
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  return found
}

/** All of them, in the order of their ids. */
export function announcedIn(directory: Directory): Said[] {
  return read(directory)
}

/** Those of them that are named, in the order of their ids. The records of all others are left alone: most claws ever met have gone. */
export function announcedBy(directory: Directory, claws: readonly string[]): Said[] {
  const names = [...new Set(claws)].sort()
  const parts = Array.from({ length: Math.ceil(names.length / filterLimits.inValues) }, (_, i) =>
    names.slice(i * filterLimits.inValues, (i + 1) * filterLimits.inValues),
  )
  return parts.flatMap((part) => read(directory, { claw: { in: part } }))
}
