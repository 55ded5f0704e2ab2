// The verbs that every kind shares: forget a record, read its history.
import { z } from 'zod'
import { defineCapability } from '../../core/capability.ts'
import type { JsonObject } from '../../core/path.ts'
import { DaybookError } from '../../core/errors.ts'
import { recordId } from './trace-schema.ts'

export const recordCapabilities = [
  defineCapability({
    id: 'kstar:forget',
    methods: ['traces.forget'],
    summary:
      'Forgets a record: its content, history and index entries go, a tombstone without content stays.',
    input: z.strictObject({ id: recordId }),
    output: z.object({
      id: z.string(),
      /** False when there was nothing left to forget. */
      forgotten: z.boolean(),
      /** Records that cite the forgotten one; they keep a link that leads nowhere. */
      cited_by: z.array(z.string()),
    }),
    effect: 'write',
    run({ id }, at) {
      const cited_by = at.records.citing(id)
      return { id, forgotten: at.records.forget(id), cited_by }
    },
  }),
  defineCapability({
    id: 'kstar:history',
    methods: ['traces.history'],
    summary: 'Reads all versions of a record, oldest first, the current one last.',
    input: z.strictObject({ id: recordId }),
    output: z.object({
      versions: z.array(
        z.object({
          version: z.number(),
          at: z.string(),
          agent: z.string(),
          op: z.enum(['put', 'forget']),
          body: (z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject>).optional(),
        }),
      ),
    }),
    effect: 'read',
    run({ id }, at) {
      const versions = at.records.history(id)
      if (versions.length === 0)
        throw new DaybookError('not-found', `There is no record \`${id}\`.`, { details: { path: 'id' } })
      return { versions: versions.map((version) => ({ ...version })) }
    },
  }),
] as const
