// All verbs and kinds, and what the worker reads of their schemas, as one file: worker-weight.test.ts bundles it as the worker
// is bundled, and compares.
import { fieldsOf } from '../../../src/core/schema.ts'
import { describeCapability } from '../../../src/doors/manifest.ts'
import { capabilityTable, kinds } from '../../../src/engine/capability-table.ts'

export const described = () => capabilityTable.map((verb) => describeCapability(verb))

/** The fields of each input, output and kind. */
export const fields = () =>
  [
    ...capabilityTable.flatMap(({ input, output }) => [input, output]),
    ...[...kinds.values()].map(({ schema }) => schema),
  ]
    .map((schema) => fieldsOf(schema))
    .map((names) => names && [...names])
