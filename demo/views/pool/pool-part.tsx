// Parts of several views of the pool: the name of an agent, and a fact with its difference from the version before.
import { pool } from '../../state/pool/pool.ts'
import { oneLine } from '../../wording/text-word.ts'
import type { FactWords } from '../../kind/pool/pool-record.ts'

export function ClawName({ claw }: { claw: string }) {
  const all = pool.value?.claws
  const name = all?.claws.find((one) => one.claw === claw)?.displayName
  return (
    <>
      <bdi title={claw}>{oneLine(name ?? claw, 60)}</bdi>
      {all?.you === claw && <span class="faint"> (you)</span>}
    </>
  )
}

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
