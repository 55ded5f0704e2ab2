// A share from 0 to 1 as a bar with its number: the length is never the only sign.
interface BarProps {
  readonly label: string
  readonly share: number
  /** The number as written; default two decimals of the share. */
  readonly text?: string | undefined
  readonly title?: string
  readonly strong?: boolean
}

export function Bar({ label, share, text, title, strong = false }: BarProps) {
  const part = Math.max(0, Math.min(1, share))
  return (
    <div class={strong ? 'bar strong' : 'bar'} title={title}>
      <span class="bar-label">{label}</span>
      <span class="bar-track" aria-hidden="true">
        {part > 0 && <span class="bar-fill" style={{ width: `${(part * 100).toFixed(1)}%` }} />}
      </span>
      <span class="bar-text">{text ?? share.toFixed(2)}</span>
    </div>
  )
}
