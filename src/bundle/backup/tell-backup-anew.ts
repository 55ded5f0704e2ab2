// The verb that writes a part of a backup anew when a record in it is forgotten, purged or sealed.
// Invariant: what it writes has nothing but records that are left, so it may be run twice, and on two devices.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { recordId } from '../../shape/record-id.ts'
import { partAnew } from './backup-part.ts'

export const tellBackupAnewCapabilities = [
  defineCapability({
    id: 'katra:tell_backup_anew',
    forAgents: true,
    methods: ['backups.tellAnew'],
    summary:
      'Writes a part of a backup anew without the records that were forgotten or purged since. Runs by itself.',
    input: z.strictObject({ id: recordId }),
    output: z.object({
      id: z.string(),
      /** `absent`: there is no such part, or no backup of it any more; it is gone then. */
      result: z.enum(['told', 'absent']),
    }),
    effect: 'task',
    repeatable: true,
    uses: ['records', 'transfer'],
    async run({ id }, at) {
      const part = await partAnew(at, id)
      await at.records.write(({ records }) => {
        const found = records.get(id)
        if (found?.kind !== 'backup_part') return
        if (part) records.put({ kind: 'backup_part', id, body: part as unknown as JsonObject, exact: true })
        else records.purge(id)
      })
      return { id, result: part ? ('told' as const) : ('absent' as const) }
    },
  }),
] as const
