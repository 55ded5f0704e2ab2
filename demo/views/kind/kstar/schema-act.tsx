// What can be done in the view of schemas: register one, and the next version of the open one.
import type { FactSchema } from '../../../../src/index.ts'
import { Icon } from '../../../parts/icon.tsx'
import { registerSchema } from '../../../state/record/schema.ts'

export function RegisterSchema() {
  return (
    <button type="button" class="button small" onClick={() => registerSchema()}>
      <Icon name="plus" size={14} />
      Register a schema
    </button>
  )
}

export function ChangeSchema({ record }: { record: FactSchema }) {
  return (
    <button type="button" class="button small" onClick={() => registerSchema(record)}>
      New version
    </button>
  )
}
