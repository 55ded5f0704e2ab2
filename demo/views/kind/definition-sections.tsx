// Definitions in the detail pane: a trace category, a token type, and a JSON Schema as a tree of fields with its versions.
// The tree shows an unknown part as it is.
import type { FactSchema, TokenType, TraceCategory } from '../../../src/index.ts'
import { go } from '../../state/address.ts'
import { Block, HeadRows, restOf, Row, Section } from './section.tsx'
import { useAnswer } from '../../parts/hook.ts'
import { book } from '../../state/book.ts'
import { countOf } from '../../wording/text-word.ts'
import { ValueView } from '../../parts/value-view.tsx'
import { schemaLimits, schemaType } from '../../wording/schema-word.ts'
import { registerSchema } from '../../state/act/edit.ts'

export function CategorySections({ record }: { record: TraceCategory }) {
  const { name, domain, description, required_fields: required } = record
  const chips = [
    { field: 'action', value: name },
    { field: 'domain', value: domain },
  ]
  return (
    <>
      <Section name="Traces">
        {description !== undefined && <p>{description}</p>}
        <Row name="action">{name}</Row>
        <Row name="domain">{domain}</Row>
        <p>
          <button
            type="button"
            class="link"
            onClick={() => go({ view: 'traces', search: '', chips, id: undefined })}
          >
            Show the traces of this category
          </button>
        </p>
      </Section>
      <Section name="Required" rest={restOf(record, ['name', 'domain', 'description', 'required_fields'])}>
        {required.length === 0 ? <p class="faint">Nothing.</p> : <Block name="" value={required} />}
        <HeadRows record={record} />
      </Section>
    </>
  )
}

export function TokenTypeSections({ record: type }: { record: TokenType }) {
  const chips = [{ field: 'type', value: type.name }]
  return (
    <>
      <Section
        name="Asks for"
        rest={restOf(type, ['name', 'description', 'scope_pattern', 'required_permissions'])}
      >
        {type.description !== '' && <p>{type.description}</p>}
        <Row name="scope">
          <code>{type.scope_pattern}</code>
        </Row>
        <Row name="permissions">{type.required_permissions.join(', ') || 'none in particular'}</Row>
      </Section>
      <Section name="Registered">
        <HeadRows record={type} />
        <p>
          <button
            type="button"
            class="link"
            onClick={() => go({ view: 'tokens', search: '', chips, id: undefined })}
          >
            Show the tokens of this type
          </button>
        </p>
      </Section>
    </>
  )
}

const schemaFields = ['name', 'schema', 'description', 'version', 'earlier']

export function SchemaSections({ record: { name, ...record } }: { record: FactSchema }) {
  const { value: total } = useAnswer(
    async () =>
      (await book.peek()?.records.count({ kind: 'fact', filters: { schema: name }, by: 'none' }))?.total ?? 0,
    [name],
  )
  return (
    <>
      <Section name="Fields">
        {record.description !== undefined && <p>{record.description}</p>}
        <JsonSchemaView schema={record.schema} />
      </Section>
      <Section name="Facts">
        {total === undefined ? (
          <p class="faint">Counting…</p>
        ) : total === 0 ? (
          <p class="faint">No fact has this schema yet. The next one stored is checked against it.</p>
        ) : (
          <p>
            <button
              type="button"
              class="link"
              onClick={() =>
                go({ view: 'facts', search: '', chips: [{ field: 'schema', value: name }], id: undefined })
              }
            >
              Show {countOf(total, 'fact')}
            </button>
          </p>
        )}
      </Section>
      <Section name="Registered" rest={restOf(record, schemaFields)}>
        <Row name="version">{record.version}</Row>
        <HeadRows record={record} />
        {record.earlier.toReversed().map(({ version, schema }) => (
          <details key={version}>
            <summary>Version {version}</summary>
            <JsonSchemaView schema={schema} />
          </details>
        ))}
      </Section>
    </>
  )
}

type Schema = Readonly<Record<string, unknown>>

const openDepth = 4

function JsonSchemaView({ schema, depth = 0 }: { schema: unknown; depth?: number }) {
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

export function ChangeSchema({ record }: { record: FactSchema }) {
  return (
    <button type="button" class="button small" onClick={() => registerSchema(record)}>
      New version
    </button>
  )
}
