// An agent of the pool by its name, and by the id that other agents know it by.
import { pool } from '../../state/pool/pool.ts'
import { oneLine } from '../../wording/text-word.ts'

export function ClawName({ claw }: { claw: string }) {
  const known = pool.value?.claws
  const name = known?.claws.find((one) => one.claw === claw)?.displayName
  return (
    <>
      <bdi title={claw}>{oneLine(name ?? claw, 60)}</bdi>
      {known?.you === claw && <span class="faint"> (you)</span>}
    </>
  )
}
