// The verb that sees to a proposal of which a source is gone or more guarded than it: a memory that it says again, a record
// that its evidence quotes. Invariant: what is left of it quotes nothing that is gone, so it may be run twice.
import { defineCapability } from '../../../core/capability/capability.ts'
import { isJsonObject, type JsonObject } from '../../../core/json/path.ts'
import { tellAnew, tellAnewInput, tellAnewOutput } from '../../../shape/tell-anew.ts'
import { saidAgainIds } from './proposal-state.ts'

const kinds = new Set(['proposal'])

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
    input: tellAnewInput,
    output: tellAnewOutput,
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    run: ({ id }, at) =>
      tellAnew(at, {
        id,
        kinds,
        bodyLeft: (records, _kind, body) => bodyLeft(id, body, (one) => records.wasForgotten(one)),
      }),
  }),
] as const
