// The verb that sees to a proposal of which a source is gone or more guarded than it: a memory that it says again, a record
// that its evidence quotes. Invariant: what is left of it quotes nothing that is gone, so it may be run twice.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import { isJsonObject, type JsonObject } from '../../../core/json/path.ts'
import { bodyOf } from '../../../core/record.ts'
import { recordId } from '../../../shape/record-id.ts'
import { saidAgainIds } from './proposal-state.ts'

/** Undefined where a memory is gone that it says again. */
function bodyLeft(id: string, body: JsonObject, isGone: (id: string) => boolean): JsonObject | undefined {
  if (saidAgainIds(id, body).some(isGone)) return undefined
  const { evidence } = body
  if (!Array.isArray(evidence)) return body
  const left = evidence.filter((one) => {
    const { record } = isJsonObject(one) ? one : {}
    return typeof record !== 'string' || !isGone(record)
  })
  return { ...body, evidence: left }
}

export const tellAnewCapabilities = [
  defineCapability({
    id: 'a2p:tell_anew',
    forAgents: true,
    methods: ['proposals.tellAnew'],
    summary:
      'Takes out of a proposal what quotes a forgotten record, seals it with what it quotes, or forgets it with the memory that it says again. Runs by itself.',
    input: z.strictObject({ id: recordId }),
    output: z.object({
      id: z.string(),
      /** `current`: nothing that it quotes is gone. `absent`: there is no such proposal any more. */
      result: z.enum(['told', 'forgotten', 'current', 'absent']),
    }),
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ id }, at) {
      if (at.records.get(id)?.kind !== 'proposal') return { id, result: 'absent' as const }
      const { records: current } = at.records.query({ kind: 'proposal', filters: { id }, limit: 1 })
      if (current.length > 0) return { id, result: 'current' as const }
      const isTold = await at.records.write(({ records }) => {
        const found = records.get(id)
        const body = found && bodyLeft(id, bodyOf(found) as JsonObject, (one) => records.wasForgotten(one))
        if (body) records.put({ kind: 'proposal', id, body, exact: true, upkeep: true })
        else records.forget(id)
        return body !== undefined
      })
      return { id, result: isTold ? ('told' as const) : ('forgotten' as const) }
    },
  }),
] as const
