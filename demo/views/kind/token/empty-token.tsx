// What the views of tokens and their types say while there are none.
import { askGrant } from '../../../state/trust/token.ts'
import { EmptyKind } from '../empty-kind.tsx'

export function EmptyTokens() {
  const code = `const { token } = await book.tokens.grant({
  granted_to: 'agent:helper',
  scope: 'trace:**',
  permissions: ['read'],
  expires_at: '2027-01-01',
})
await book.traces.query({}, { as: token.token_id })   // what its holder would see`
  return (
    <EmptyKind
      title="No tokens yet"
      code={code}
      act={
        <button type="button" class="button primary" onClick={() => askGrant()}>
          Grant a token
        </button>
      }
    >
      <p>
        This is where tokens appear: who else has access to this book, with which permissions, and until when.
        Without a token only you have access; records outside a token’s scope are invisible to its holder.
      </p>
    </EmptyKind>
  )
}

export function EmptyTokenTypes() {
  const code = `await book.tokens.types.register({
  name: 'course_access',
  description: 'Whoever teaches a course may read what is about it',
  scope_pattern: 'course:{course_id}',
  required_permissions: ['read'],
})`
  return (
    <EmptyKind title="No token types yet" code={code}>
      <p>
        This is where custom token types appear: the scope of tokens of that type and the permissions they
        require.
      </p>
    </EmptyKind>
  )
}
