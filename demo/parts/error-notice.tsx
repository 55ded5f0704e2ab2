// An error: what happened, whether anything was lost, what to do, and details to copy. Nothing without an error.
import { errorWords } from '../wording/error-word.ts'
import { CopyButton } from './copy-button.tsx'
import { Icon } from './inline.tsx'

interface ErrorNoticeProps {
  readonly title: string
  readonly error: unknown
  readonly retry?: () => unknown
}

export function ErrorNotice({ title, error, retry }: ErrorNoticeProps) {
  if (error === undefined) return null
  const { fault, lost, remedy, also, details, code } = errorWords(error)
  return (
    <div class="notice bad" role="alert">
      <Icon name="alert" />
      <div class="notice-text">
        <p class="notice-title">{title}</p>
        <p>{fault}</p>
        {also.length > 0 && (
          <ul class="plain-list">
            {also.map((issue) => (
              <li key={issue}>{issue}</li>
            ))}
          </ul>
        )}
        <p>{lost}</p>
        <p>{remedy}</p>
        <p class="notice-actions">
          {retry && (
            <button type="button" class="button small" onClick={() => void retry()}>
              Try again
            </button>
          )}
          <CopyButton text={details} of="details" word />
          <code class="faint">{code}</code>
        </p>
      </div>
    </div>
  )
}
