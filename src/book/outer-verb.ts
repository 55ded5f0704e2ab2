// Ids that only messages from outside know (HTTP, MCP, P3394): seed shapes without a capability of the same id.
import { DaybookError } from '../core/errors.ts'

/** The method of a book that does the same. */
const methods: Readonly<Record<string, string>> = {
  'kstar:export_bundle': 'export',
  'kstar:export_memory': 'export',
  'kstar:import_bundle': 'import',
  'kstar:import_memory': 'import',
  'kstar:sync': 'sync',
  'kstar:get_sync_state': 'status',
  'kstar:update_skill': 'skills.recordOutcome',
  'kstar:register_schemas': 'facts.schemas.register',
}

/** The error for such an id in `book.call`; undefined for any other id. */
export function outerVerb(id: string): DaybookError | undefined {
  if (!Object.hasOwn(methods, id)) return undefined
  return new DaybookError(
    'unknown-capability',
    `\`${id}\` is for messages from outside. Here call \`book.${methods[id]}()\`.`,
    { details: { path: 'capability' } },
  )
}
