// Records of this chapter as its code reads them, with the defaults of what they leave out. What a later version or another
// client wrote otherwise is passed over in lists, and refused where it was asked for.
import { needUnderstood } from '../../../core/capability/understood.ts'
import type { Kind } from '../../../core/kind.ts'
import { bodyOf, headOf, type RecordHead } from '../../../core/record.ts'

type Known<Body extends object> = Pick<Kind<string, Body>, 'name' | 'schema'>

function read<Body extends object>({ schema }: Known<Body>, record: RecordHead): (RecordHead & Body)[] {
  const result = schema['~standard'].validate(bodyOf(record))
  if (result instanceof Promise || result.issues !== undefined) return []
  return [{ ...headOf(record), ...result.value }]
}

/** Those whose bodies fit the kind. */
export function readable<Body extends object>(
  kind: Known<Body>,
  records: readonly RecordHead[],
): (RecordHead & Body)[] {
  return records.flatMap((one) => read(kind, one))
}

/** It, or `record-newer` when its body does not fit; undefined for a record of another kind, and for none. */
export function readableOne<Body extends object>(
  kind: Known<Body>,
  record: RecordHead | undefined,
): (RecordHead & Body) | undefined {
  if (record?.kind !== kind.name) return undefined
  needUnderstood(kind as Pick<Kind, 'schema'>, record)
  return read(kind, record)[0]
}
