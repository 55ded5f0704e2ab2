// The verb that sees to what is left in the pool of a record or a proposal that is gone or sealed now. Invariant: nothing that
// it leaves quotes that, so it may be run twice.
import { defineCapability } from '../../../core/capability/capability.ts'
import type { RecordWriter } from '../../../core/capability/port/record-port.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { tellAnew, tellAnewInput, tellAnewOutput } from '../../../shape/tell-anew.ts'
import { factBody, sourcesOfVersion } from '../pool-kind.ts'
import { isGone } from '../take/scene.ts'

const kinds = new Set(['pool_proposal', 'pool_ballot', 'pool_decision', 'pool_fact'])

/** A fact without the versions that are gone; undefined where the last one is, and for all else: it says nothing else. */
function bodyLeft(records: RecordWriter, kind: string, body: object): JsonObject | undefined {
  const fact = kind === 'pool_fact' ? factBody.safeParse(body).data : undefined
  if (!fact) return undefined
  const left = Object.entries(fact.versions).filter(
    ([, one]) => !sourcesOfVersion(one).some((id) => isGone(records, id)),
  )
  const versions = Object.fromEntries(left)
  return versions[String(fact.version)] ? ({ ...fact, versions } as object as JsonObject) : undefined
}

export const tellAnewCapabilities = [
  defineCapability({
    id: 'pool:tell_anew',
    forAgents: true,
    methods: ['pool.tellAnew'],
    summary:
      'Takes the versions out of a fact that say what is forgotten or sealed now, or forgets what says nothing else. Runs by itself.',
    input: tellAnewInput,
    output: tellAnewOutput,
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    run: ({ id }, at) => tellAnew(at, { id, kinds, bodyLeft }),
  }),
] as const
