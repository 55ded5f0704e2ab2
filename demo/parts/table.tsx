// Tables: a log that scrolls within its own region, and a plain one.
import type { ComponentChildren } from 'preact'

interface TableProps {
  /** Words of plain heads; anything else is a whole `<th>`. */
  readonly heads: readonly ComponentChildren[]
  readonly children: ComponentChildren
}

function Rows({ heads, children }: TableProps) {
  return (
    <>
      <thead>
        <tr>
          {heads.map((head) =>
            typeof head === 'string' ? (
              <th key={head} scope="col">
                {head}
              </th>
            ) : (
              head
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </>
  )
}

/** `label` names its region for screen readers. The keyboard can scroll it. */
export function LogTable({
  label,
  look = '',
  ...rows
}: TableProps & { readonly label: string; readonly look?: string }) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={label}>
      <table class={`log-table ${look}`}>
        <Rows {...rows} />
      </table>
    </div>
  )
}

export function PlainTable(rows: TableProps) {
  return (
    <table class="plain-table">
      <Rows {...rows} />
    </table>
  )
}
