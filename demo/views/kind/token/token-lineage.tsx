// The lineage of a token as a tree of buttons joined by lines, and the same as a nested list.
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { Mark } from '../../../parts/mark.tsx'
import { useAnswer } from '../../../parts/use-answer.ts'
import { marks } from '../../../kind/mark.ts'
import { ownState, type Token } from '../../../kind/token-kind.ts'
import { book } from '../../../state/book.ts'
import { openRecord } from '../../../state/act/open-record.ts'
import { type LineageNode, placeLineage, readLineage } from '../../../state/trust/token-lineage.ts'
import { oneLine } from '../../../wording/text-word.ts'
import { Section } from '../section.tsx'

const size = { width: 168, height: 46, gapX: 16, gapY: 30, edge: 4 } as const

export function TokenLineage({ token }: { token: Token }) {
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
