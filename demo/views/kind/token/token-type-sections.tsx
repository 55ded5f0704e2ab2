// A registered token type: what tokens of it must have.
import type { TokenType } from '../../../../src/index.ts'
import { go } from '../../../state/address.ts'
import { HeadRows, restOf, Row, Section } from '../section.tsx'

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
