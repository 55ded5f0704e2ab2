// A control token: what it allows in plain words, its claims, its lineage, and what its holder would see.
import { Icon } from '../../../parts/icon.tsx'
import { ShortId } from '../../../parts/short-id.tsx'
import { Time } from '../../../parts/time.tsx'
import { ownState, type Token, type TokenState } from '../../../kind/token-kind.ts'
import { now } from '../../../page/clock.ts'
import { endedTokenWords, tokenWords } from '../../../kind/token-word.ts'
import { FilterButton, restOf, Row, Section } from '../section.tsx'
import { TokenLineage } from './token-lineage.tsx'
import { TokenTrial } from './token-trial.tsx'

const known = [
  'token_id',
  'type',
  'scope',
  'permissions',
  'granted_by',
  'granted_to',
  'granted_at',
  'not_before',
  'expires_at',
  'delegation_chain',
  'lineage_hash',
  'revoked',
  'revoked_at',
  'revocation_reason',
  'secret_hash',
  'signature',
  'state',
]

const isOver = (state: TokenState) => state === 'revoked' || state === 'expired' || state === 'foreign'

export function TokenSections({ record: token }: { record: Token }) {
  const state = token.state ?? ownState(token)
  return (
    <>
      {state === 'revoked' && (
        <p class="notice bad">
          <Icon name="alert" />
          <span>
            {token.revoked ? 'It was revoked' : 'A token above it was revoked'}
            {token.revoked_at !== undefined && (
              <>
                {' '}
                <Time at={token.revoked_at} />
              </>
            )}
            {token.revocation_reason ? `: ${token.revocation_reason}` : '.'}
          </span>
        </p>
      )}
      <Section name={isOver(state) ? 'Permissions (ended)' : 'Permissions'}>
        {(isOver(state) ? endedTokenWords(token, state) : tokenWords(token, now.value)).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </Section>
      <Section name="Claims" rest={restOf(token, known)}>
        <Row name="type">
          <FilterButton view="tokens" field="type" value={token.type} />
        </Row>
        <Row name="holder">
          <FilterButton view="tokens" field="holder" value={token.granted_to} />
        </Row>
        <Row name="scope">
          <FilterButton view="tokens" field="scope" value={token.scope} />
        </Row>
        <Row name="permissions">
          {token.permissions.length === 0
            ? 'none'
            : token.permissions.map((one) => (
                <FilterButton key={one} view="tokens" field="permission" value={one} />
              ))}
        </Row>
        {token.not_before !== undefined && (
          <Row name="from">
            <Time at={token.not_before} />
          </Row>
        )}
        <Row name="until">
          <Time at={token.expires_at} />
        </Row>
        <Row name="signed by">
          <ShortId id={token.granted_by} what="key" />
        </Row>
      </Section>
      <TokenLineage token={token} />
      <TokenTrial token={token} />
    </>
  )
}
