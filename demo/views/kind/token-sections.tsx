// A control token: its permissions in sentences, its claims, its lineage as a tree and as a list, a preview of its access.
import { useAnswer, useUnmountSignal, useSubmit } from '../../parts/hook.ts'
import { TextField } from '../../parts/field/form-field.tsx'
import { Icon, Time } from '../../parts/inline.tsx'
import { ShortId } from '../../parts/copy-button.tsx'
import { ownState, type Token, type TokenState } from '../../kind/token-kind.ts'
import { now } from '../../page/clock.ts'
import { endedTokenWords, tokenWords } from '../../kind/token-word.ts'
import { FilterButton, restOf, Row, Section } from './section.tsx'
import { askGrant, askRevoke, type LineageNode, placeLineage, readLineage } from '../../state/trust/token.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Mark } from '../../parts/mark.tsx'
import { marks } from '../../kind/mark.ts'
import { book, openedBook } from '../../state/book.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { countOf, oneLine } from '../../wording/text-word.ts'
import { useSignal } from '@preact/signals'
import type { Daybook } from '../../../src/index.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import { RecordLink } from './link-list.tsx'

const tokenFields = [
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
      <Section name="Claims" rest={restOf(token, tokenFields)}>
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
          <ShortId id={token.granted_by} of="key" />
        </Row>
      </Section>
      <TokenLineage token={token} />
      <TokenTrial token={token} />
    </>
  )
}

export function TokenActs({ record: token }: { record: Token }) {
  const state = token.state ?? ownState(token)
  const mayDelegate =
    token.type === 'delegation' ||
    token.permissions.includes('delegation') ||
    token.permissions.includes('**')
  return (
    <>
      {state === 'active' && mayDelegate && (
        <button type="button" class="button small" onClick={() => askGrant(token)}>
          Delegate
        </button>
      )}
      {!token.revoked && (
        <button type="button" class="button small" onClick={() => void askRevoke(token)}>
          Revoke
        </button>
      )}
    </>
  )
}

const size = { width: 168, height: 46, gapX: 16, gapY: 30, edge: 4 } as const

function TokenLineage({ token }: { token: Token }) {
  const { value: root, error } = useAnswer(async () => {
    const from = book.peek()
    return from && readLineage(from, token)
  }, [token.token_id, token.ver, token.state])
  if (error !== undefined) return <ErrorNotice title="The lineage could not be read." error={error} />
  if (!root) return null
  const isAlone = root.children.length === 0
  return (
    <Section name="Lineage">
      {isAlone ? (
        <p class="faint">Granted by this book. No delegated tokens.</p>
      ) : (
        <>
          <Tree root={root} here={token.token_id} />
          <details>
            <summary>As a list</summary>
            <ul class="lineage-list">
              <Branch node={root} here={token.token_id} />
            </ul>
          </details>
        </>
      )}
    </Section>
  )
}

function Tree({ root, here }: { root: LineageNode; here: string }) {
  const nodes = placeLineage(root)
  const x = (column: number) => size.edge + column * (size.width + size.gapX)
  const y = (row: number) => size.edge + row * (size.height + size.gapY)
  const width = x(Math.max(...nodes.map(({ column }) => column))) + size.width + size.edge
  const height = y(Math.max(...nodes.map(({ row }) => row))) + size.height + size.edge
  const middle = size.width / 2
  return (
    <div class="lineage" role="group" aria-label="Lineage as a tree">
      <div class="lineage-space" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg width={width} height={height} aria-hidden="true">
          {nodes.map(({ token, column, row, parent }) => {
            if (!parent) return null
            const fromX = x(parent.column) + middle
            const fromY = y(parent.row) + size.height
            const toX = x(column) + middle
            const toY = y(row)
            const half = (fromY + toY) / 2
            return (
              <path
                key={token.token_id}
                d={`M${fromX} ${fromY}V${half}H${toX}V${toY}`}
                class="lineage-line"
              />
            )
          })}
        </svg>
        {nodes.map(({ token, column, row }) => (
          <button
            key={token.token_id}
            type="button"
            class={token.token_id === here ? 'lineage-node is-here' : 'lineage-node'}
            aria-current={token.token_id === here ? 'true' : undefined}
            style={{
              width: `${size.width}px`,
              height: `${size.height}px`,
              transform: `translate(${x(column)}px, ${y(row)}px)`,
            }}
            title={`${token.granted_to}: ${token.scope}`}
            onClick={() => openRecord(token)}
          >
            <span class="lineage-holder">
              <Mark mark={stateOf(token)} /> {oneLine(token.granted_to, 40)}
            </span>
            <code>{oneLine(token.scope, 40)}</code>
          </button>
        ))}
      </div>
    </div>
  )
}

function Branch({ node: { token, children }, here }: { node: LineageNode; here: string }) {
  return (
    <li>
      <button type="button" class="link" onClick={() => openRecord(token)}>
        {token.granted_to}
      </button>{' '}
      <span class="faint">
        {marks[stateOf(token)].word} · {token.scope} · {token.permissions.join(', ')}
        {token.token_id === here && ' · this token'}
      </span>
      {children.length > 0 && (
        <ul class="lineage-list">
          {children.map((child) => (
            <Branch key={child.token.token_id} node={child} here={here} />
          ))}
        </ul>
      )}
    </li>
  )
}

const stateOf = (token: Token) => token.state ?? ownState(token)

const listed = 10

interface Seen {
  readonly records: readonly BookRecord[]
  readonly hasMore: boolean
}

async function see(from: Daybook, { token_id: as }: Token, question: string): Promise<Seen> {
  if (question.trim() !== '') {
    const { hits } = await from.recall({ text: question, limit: listed }, { as })
    return { records: hits.map(({ record }) => record), hasMore: false }
  }
  const { records, cursor } = await from.records.query({ limit: listed }, { as })
  return { records, hasMore: cursor !== undefined }
}

/** Asks the book with the token, and shows the answer that its holder gets. */
function TokenTrial({ token }: { token: Token }) {
  const question = useSignal('')
  const seen = useSignal<Seen | undefined>(undefined)
  const unmounted = useUnmountSignal()
  const { failure, submit } = useSubmit(async () => {
    seen.value = undefined
    seen.value = await see(await openedBook(unmounted), token, question.value)
  })
  return (
    <Section name="Try it">
      <form
        class="trial-form"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <TextField label="Query as this token (leave empty to list everything)" of={question} />
        <button type="submit" class="button">
          Preview access
        </button>
      </form>
      <ErrorNotice title="Access denied" error={failure} />
      {seen.value && (
        <div role="status">
          <p class="quiet">
            {seen.value.records.length === 0
              ? 'The holder sees nothing here.'
              : `The holder sees ${countOf(seen.value.records.length, 'record')}${seen.value.hasMore ? ' and more' : ''}:`}
          </p>
          <ul class="links">
            {seen.value.records.map((record) => (
              <li key={record.id}>
                <RecordLink record={record} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </Section>
  )
}
