// The family of a token as a tree: from its first ancestor down to everything that was granted below that one.
import type { Daybook } from '../../../src/index.ts'
import { type Token, withState } from '../../kind/token-kind.ts'

export interface LineageNode {
  readonly token: Token
  readonly children: readonly LineageNode[]
}

export interface PlacedNode {
  readonly token: Token
  readonly parent: PlacedNode | undefined
  /** In columns and rows; a parent stands over the middle of its children. */
  readonly column: number
  readonly row: number
}

const readAtMost = 200

/** The tree that `token` stands in. An ancestor that is not in this book is left out, and what is below it moves up. */
export async function readLineage(book: Daybook, token: Token): Promise<LineageNode> {
  const rootId = token.delegation_chain.at(-1) ?? token.token_id
  const [root, below] = await Promise.all([
    book.records.get({ id: rootId }),
    book.records.query({
      kind: 'token',
      filters: { delegation_chain: { contains: rootId } },
      orderBy: 'granted_at',
      limit: readAtMost,
    }),
  ])
  const top = root?.kind === 'token' ? [root as unknown as Token] : []
  const found = new Map(
    [...top, ...(below.records as unknown as Token[]), token].map((one) => [one.token_id, one]),
  )
  const all = await withState(book, [...found.values()])
  const parentOf = (one: Token) => one.delegation_chain.find((id) => found.has(id))
  const grow = (one: Token): LineageNode => ({
    token: one,
    children: all.filter((other) => parentOf(other) === one.token_id).map((child) => grow(child)),
  })
  const first = all.find((one) => parentOf(one) === undefined) ?? token
  return grow(first)
}

/** Every node with its place: leaves side by side, each parent over the middle of its children. */
export function placeLineage(root: LineageNode): PlacedNode[] {
  const placed: PlacedNode[] = []
  let leaves = 0
  const place = ({ token, children }: LineageNode, row: number): PlacedNode => {
    const below = children.map((child) => place(child, row + 1))
    const first = below[0]
    const last = below.at(-1)
    const column = first && last ? (first.column + last.column) / 2 : leaves++
    const node: PlacedNode = { token, parent: undefined, column, row }
    for (const child of below) {
      const at = placed.indexOf(child)
      placed[at] = { ...child, parent: node }
    }
    placed.push(node)
    return node
  }
  place(root, 0)
  return placed.toSorted((a, b) => a.row - b.row || a.column - b.column)
}
