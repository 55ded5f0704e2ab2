// A registered schema as a person reads it, the versions before it, and how many facts there are of its name.
import type { FactSchema } from '../../../../src/index.ts'
import { useAnswer } from '../../../parts/use-answer.ts'
import { book } from '../../../state/book.ts'
import { go } from '../../../state/address.ts'
import { countOf } from '../../../wording/text-word.ts'
import { JsonSchemaView } from './json-schema-view.tsx'
import { HeadRows, restOf, Row, Section } from '../section.tsx'

const known = ['name', 'schema', 'description', 'version', 'earlier']

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
      <Section name="Registered" rest={restOf(record, known)}>
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
