// A record in a bundle that was made where its key is not: its head as that of others, and its body sealed as it lay.
// Invariant: it is taken as it is or refused with its place; nothing of it is read without its key.
import { z } from 'zod'
import { DaybookError } from '../../core/errors.ts'
import { isOpenKind, type Kind } from '../../core/kind.ts'
import { isJsonObject, type JsonObject } from '../../core/json/path.ts'
import { parseWith } from '../../core/schema.ts'
import {
  isSealing,
  type SealedBody,
  sealingAlgorithm,
  sensitivities,
  type Sensitivity,
} from '../../core/sealed.ts'
import { isStamp } from '../../core/stamp.ts'

/** The field in which the sealed body stands, in place of all fields of the body. */
export const sealedName = 'sealed'

const sealedBody = z.strictObject({
  alg: z.literal(sealingAlgorithm),
  kid: z.string().regex(/^k_[0-9a-f]{16}$/, 'is not the id of a key'),
  v: z.number().int().min(0),
  n: z.base64().length(16),
  ct: z.base64().min(24).max(4_000_000),
  head: z
    .strictObject({
      stamp: z.string().refine(isStamp, 'is not a stamp'),
      session: z.string().optional(),
      resource: z.string().optional(),
      sensitivity: z.enum(sensitivities).optional(),
    })
    .optional(),
})

/** True for a record whose body is sealed. */
export function isSealedRecord(record: object): boolean {
  return isJsonObject((record as JsonObject)[sealedName])
}

/** The sealed body of a record; `given` is what it says beside its head. */
export function readSealed(kind: Kind, given: JsonObject, sensitivity: Sensitivity | undefined): SealedBody {
  const other = Object.keys(given).find((name) => name !== sealedName)
  if (other !== undefined) throw wrong(other, 'A sealed record says nothing in clear')
  if (!isSealing(sensitivity ?? kind.sensitivity))
    throw wrong('sensitivity', 'Only a sensitive record is sealed')
  if (isOpenKind(kind)) throw wrong(sealedName, `Every copy must be able to read a ${kind.name}`)
  return parseWith(z.strictObject({ [sealedName]: sealedBody }), given, 'invalid-file')[
    sealedName
  ] as SealedBody
}

function wrong(path: string, message: string): DaybookError {
  return new DaybookError('invalid-file', `\`${path}\`: ${message}.`, { details: { path } })
}
