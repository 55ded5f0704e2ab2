// Grants and revokes tokens, and places the family of a token as a tree: from its first ancestor to the last delegated token.
import { signal } from '@preact/signals'
import type { CapabilityInput, Daybook } from '../../../src/index.ts'
import { type Token, withState } from '../../kind/token-kind.ts'
import { countOf } from '../../wording/text-word.ts'
import { go } from '../address.ts'
import { openedBook } from '../book.ts'
import { closeDialog, openDialog } from '../dialog.ts'
import { reloadDetail } from '../record/record-detail.ts'
import { reloadList } from '../list/record-list.ts'
import { tell, tellError } from '../../page/toast.ts'

/** The token below which the next one is granted, if any. */
export const grantParent = signal<Token | undefined>(undefined)
/** The token that the open question would revoke. */
export const revokeQuestion = signal<{ readonly token: Token; readonly below: number } | undefined>(undefined)
/** The new token with the text that its holder presents. It is shown once and stored nowhere. */
export const granted = signal<{ readonly token_id: string; readonly bearer: string | undefined } | undefined>(
  undefined,
)

export function askGrant(parent?: Token): void {
  grantParent.value = parent
  granted.value = undefined
  openDialog.value = 'grant'
}

/** Rejects with the fault for the dialog to show. `closed` aborts when the dialog is closed. */
export async function grantToken(
  input: CapabilityInput<'kstar:grant_control_token'>,
  closed: AbortSignal,
): Promise<void> {
  const current = await openedBook(closed)
  const { token, bearer } = await current.tokens.grant(input)
  granted.value = { token_id: token.token_id, bearer }
  go({ view: 'tokens', search: '', chips: [], id: token.token_id })
  await reloadList({ keepPlace: true })
}

/** Counts the delegated tokens, then asks. */
export async function askRevoke(token: Token): Promise<void> {
  const filters = { delegation_chain: { contains: token.token_id } }
  try {
    const current = await openedBook()
    const { total } = await current.records.count({ kind: 'token', filters, by: 'none' })
    revokeQuestion.value = { token, below: total }
    openDialog.value = 'revoke'
  } catch (error) {
    tellError('The delegated tokens could not be counted.', error)
  }
}

export async function revokeToken(reason: string): Promise<void> {
  const question = revokeQuestion.peek()
  closeDialog()
  if (!question) return
  const { token, below } = question
  try {
    const current = await openedBook()
    await current.tokens.revoke({ token_id: token.token_id, reason })
    reloadDetail()
    await reloadList({ keepPlace: true })
    tell(
      below > 0
        ? `Revoked, with ${countOf(below, 'delegated token')}. They no longer grant access.`
        : 'Revoked. It no longer grants access.',
    )
  } catch (error) {
    tellError('The token was not revoked.', error)
  }
}

export interface LineageNode {
  readonly token: Token
  readonly children: readonly LineageNode[]
}

interface PlacedNode {
  readonly token: Token
  readonly parent: PlacedNode | undefined
  /** In columns and rows; a parent is above the middle of its children. */
  readonly column: number
  readonly row: number
}

const readAtMost = 200

/** The tree of `token`. A missing ancestor is left out, and its children move up. */
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

/** Every node with its place: leaves side by side, each parent above the middle of its children. */
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
