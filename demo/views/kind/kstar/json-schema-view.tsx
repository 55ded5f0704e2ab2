// A JSON Schema as a tree of fields: name, type, whether it is required, what limits it. What has no place here is shown
// as it is written.
import { ValueView } from '../../../parts/value-view.tsx'
import { schemaLimits, schemaType } from '../../../wording/schema-word.ts'

type Schema = Readonly<Record<string, unknown>>

const openDepth = 4

export function JsonSchemaView({ schema, depth = 0 }: { schema: unknown; depth?: number }) {
  if (typeof schema === 'boolean') {
    return <p class="quiet">{schema ? 'Anything is allowed.' : 'Nothing is allowed.'}</p>
  }
  if (!isSchema(schema)) return <ValueView value={schema} />
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  const properties = Object.entries(isSchema(schema['properties']) ? schema['properties'] : {})
  const items = schema['items']
  const isOpen = schema['additionalProperties'] !== false && schema['unevaluatedProperties'] !== false
  return (
    <div class="schema">
      {depth === 0 && <Limits schema={schema} />}
      {properties.length > 0 && (
        <ul class="schema-fields">
          {properties.map(([name, field]) => (
            <li key={name}>
              <Field name={name} schema={field} isRequired={required.has(name)} depth={depth} />
            </li>
          ))}
        </ul>
      )}
      {isSchema(items) && (
        <ul class="schema-fields">
          <li>
            <Field name="each" schema={items} isRequired={false} depth={depth} />
          </li>
        </ul>
      )}
      {properties.length > 0 && !isOpen && <p class="faint">No other fields.</p>}
    </div>
  )
}

interface FieldProps {
  readonly name: string
  readonly schema: unknown
  readonly isRequired: boolean
  readonly depth: number
}

function Field({ name, schema, isRequired, depth }: FieldProps) {
  const hasMore = isSchema(schema) && ('properties' in schema || isSchema(schema['items']))
  return (
    <>
      <p class="schema-field">
        <code class="schema-name">{name}</code>
        <span class="schema-type">{schemaType(schema)}</span>
        {isRequired && <span class="schema-required">required</span>}
      </p>
      {isSchema(schema) && <Limits schema={schema} />}
      {hasMore &&
        (depth < openDepth ? (
          <JsonSchemaView schema={schema} depth={depth + 1} />
        ) : (
          <details>
            <summary>Fields</summary>
            <JsonSchemaView schema={schema} depth={depth + 1} />
          </details>
        ))}
    </>
  )
}

function Limits({ schema }: { schema: Schema }) {
  const limits = schemaLimits(schema)
  const { description } = schema
  if (limits.length === 0 && typeof description !== 'string') return null
  return (
    <p class="schema-limits">
      {typeof description === 'string' && <span>{description}</span>}
      {limits.map((limit) => (
        <code key={limit}>{limit}</code>
      ))}
    </p>
  )
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
