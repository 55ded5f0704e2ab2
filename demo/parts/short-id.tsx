// An id, short for eyes, whole on hover and when copied.
import { shortId } from '../wording/text-word.ts'
import { CopyButton } from './copy-button.tsx'

export function ShortId({ id, what = 'id' }: { id: string; what?: string }) {
  return (
    <span class="short-id">
      <code title={id}>{shortId(id)}</code>
      <CopyButton text={id} what={what} />
    </span>
  )
}
