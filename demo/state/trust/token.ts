// Granting and revoking tokens: which one is delegated from or revoked, and doing it.
import { signal } from '@preact/signals'
import type { CapabilityInput } from '../../../src/index.ts'
import type { Token } from '../../kind/token-kind.ts'
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
/** What was just granted, with the text that its holder presents. It is shown once and kept nowhere. */
export const granted = signal<{ readonly token_id: string; readonly bearer: string | undefined } | undefined>(
  undefined,
)

export function askGrant(parent?: Token): void {
  grantParent.value = parent
  granted.value = undefined
  openDialog.value = 'grant'
}

/** Rejects with what is wrong; the dialog shows it, and `gone` says that it does not any more. */
export async function grantToken(
  input: CapabilityInput<'kstar:grant_control_token'>,
  gone: AbortSignal,
): Promise<void> {
  const current = await openedBook(gone)
  const { token, bearer } = await current.tokens.grant(input)
  granted.value = { token_id: token.token_id, bearer }
  go({ view: 'tokens', search: '', chips: [], id: token.token_id })
  await reloadList({ keepPlace: true })
}

/** Counts what would go with it, then asks. */
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
