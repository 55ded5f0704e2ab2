// Whether the data of a fact was held against a schema, against which version, and which one is registered today.
import type { Fact } from '../../../../src/index.ts'
import { useAnswer } from '../../../parts/use-answer.ts'
import { book } from '../../../state/book.ts'
import { openRecord } from '../../../state/act/open-record.ts'
import { Section } from '../section.tsx'

export function FactCheck({ fact }: { fact: Fact }) {
  const { schema: name, schema_version: version } = fact
  const { value: schema } = useAnswer(
    async () => (await book.peek()?.facts.schemas.get({ name })) ?? null,
    [name, fact.ver],
  )
  return (
    <Section name="Validation">
      <p>
        {version === undefined
          ? `Not validated: schema “${name}” did not exist yet.`
          : `Valid against “${name}” v${version}.`}
      </p>
      {schema && version !== undefined && schema.version > version && (
        <p class="quiet">
          Version {schema.version} is registered today; facts stored before are not validated again.
        </p>
      )}
      {schema && (
        <p>
          <button
            type="button"
            class="link"
            onClick={() => openRecord({ id: schema.id, kind: 'fact_schema' })}
          >
            Show the schema
          </button>
        </p>
      )}
      {schema === null && version === undefined && (
        <p class="quiet">Register a schema of that name under Schemas, and facts stored later are checked.</p>
      )}
    </Section>
  )
}
