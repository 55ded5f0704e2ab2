// A registered category: which fields its traces must carry.
import type { TraceCategory } from '../../../../src/index.ts'
import { go } from '../../../state/address.ts'
import { Block, HeadRows, restOf, Row, Section } from '../section.tsx'

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
