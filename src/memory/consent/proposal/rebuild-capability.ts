// The verb that rebuilds a proposal after one of its sources was forgotten or made more sensitive: a memory that the
// proposal repeats, or a record that its evidence quotes.
// Invariant: the result quotes no forgotten record, so the verb may run twice.
import { defineCapability } from '../../../core/capability/capability.ts'
import { isJsonObject, type JsonObject } from '../../../core/json/path.ts'
import { rebuildRecord, rebuildInput, rebuildOutput } from '../../../shape/rebuild.ts'
import { repeatedRecordIds } from './proposal-state.ts'

const kinds = new Set(['proposal'])

/**
 * Returns the body without evidence from forgotten records; undefined if a record that the proposal repeats was
 * forgotten.
 */
function remainingBody(
  id: string,
  body: JsonObject,
  isForgotten: (id: string) => boolean,
): JsonObject | undefined {
  if (repeatedRecordIds(id, body).some(isForgotten)) return undefined
  const { evidence } = body
  if (!Array.isArray(evidence)) return body
  const remaining = evidence.filter((entry) => {
    const { record } = isJsonObject(entry) ? entry : {}
    return typeof record !== 'string' || !isForgotten(record)
  })
  return { ...body, evidence: remaining }
}

export const rebuildCapabilities = [
  defineCapability({
    id: 'a2p:rebuild',
    // It decides nothing, so agents may call it; guests may not.
    forAgents: true,
    methods: ['proposals.rebuild'],
    summary:
      'Removes quotes of a forgotten record from a proposal, seals it with its sources, or forgets it with the memory that it repeats. Runs by itself.',
    input: rebuildInput,
    output: rebuildOutput,
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    run: ({ id }, at) =>
      rebuildRecord(at, {
        id,
        kinds,
        bodyLeft: (records, _kind, body) =>
          remainingBody(id, body, (sourceId) => records.wasForgotten(sourceId)),
      }),
  }),
] as const
