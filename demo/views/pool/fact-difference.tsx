// The three parts of what a fact says; what differs from the version before is marked.
import type { FactWords } from '../../kind/pool/pool-record.ts'

const parts = ['subject', 'predicate', 'object'] as const

export function FactDifference({ before, after }: { before?: FactWords | undefined; after: FactWords }) {
  return (
    <dl class="fact-parts">
      {parts.map((part) => (
        <div key={part}>
          <dt>{part}</dt>
          <dd dir="auto">
            {before && before[part] !== after[part] ? (
              <>
                <del>{before[part]}</del> <ins>{after[part]}</ins>
              </>
            ) : (
              after[part]
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
