// What is said of a bundle that was read to its end: by import, by verify, and of an archive.
import { z } from 'zod'
import { sealed, sealedField } from '../shape/sealed-count.ts'
import type { IntakeResult } from './format/bundle-intake.ts'

const agent = z.object({ id: z.string(), type: z.string(), version: z.string() })
export const described = {
  version: z.string(),
  exported_at: z.string(),
  agent,
  checksum: z.string(),
  encrypted: z.boolean(),
  /** The public key that signed it, as a `did:key`; its signature is true. Whether to trust that key is yours to say. */
  signed_by: z.string().optional(),
  /** Records in the bundle, by kind. */
  counts: z.record(z.string(), z.number()),
  /** How many of them the bundle has as they were sealed where it was made. Absent: none. */
  sealed,
}

export function describe(whole: IntakeResult) {
  const { version, exported_at, agent: who, integrity, encrypted, signedBy, counts, schemas_used } = whole
  return {
    version,
    exported_at,
    agent: { id: who.id, type: who.type, version: who.version },
    checksum: integrity.checksum,
    encrypted,
    ...(signedBy === undefined ? {} : { signed_by: signedBy }),
    counts: { ...counts },
    ...sealedField(whole.sealed),
    schemas_used: [...schemas_used],
  }
}
