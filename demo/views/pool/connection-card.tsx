// The ways to the agents of other books: which are on, whether they work, and how much waits to be sent.
import { Mark } from '../../parts/mark.tsx'
import type { Claws } from '../../kind/pool/pool-record.ts'
import { edgeUrl } from '../../state/edge.ts'
import { setWay } from '../../state/pool/claws.ts'
import type { PoolWay } from '../../state/pool-way.ts'
import { status } from '../../state/status.ts'
import { connectionWord } from '../../wording/pool-word.ts'

const ways: readonly { way: PoolWay; name: string; what: string }[] = [
  {
    way: 'tabs',
    name: 'Books of this origin',
    what: 'Every open book of this browser and site, in any tab.',
  },
  {
    way: 'edge',
    name: 'The edge',
    what: 'Other devices of this book, and through a bridge that one of them runs (daybook kafka), Apache Kafka.',
  },
]

export function ConnectionCard({ claws: { carriers, unsent } }: { claws: Claws }) {
  return (
    <section aria-label="Connections">
      <h2>Connections</h2>
      <ul class="queue">
        {ways.map(({ way, name, what }) => {
          const isOn = carriers.includes(way)
          const waiting = unsent[way] ?? 0
          const fault = faultOf(way)
          const isAbsent = way === 'edge' && edgeUrl === undefined
          return (
            <li key={way} class="memory-row">
              <p class="claw-head">
                <strong>{name}</strong>
                <span class="spacer" />
                <Mark mark={isOn ? (fault === undefined ? 'present' : 'stale') : 'noWay'} />
                <span>{isOn ? connectionWord(waiting, fault) : 'Off'}</span>
              </p>
              <p class="faint">{isAbsent ? 'This page was built without an edge.' : what}</p>
              <div class="row-acts">
                <button
                  type="button"
                  class="button small"
                  aria-disabled={isAbsent}
                  onClick={() => !isAbsent && void setWay(way, !isOn)}
                >
                  {isOn ? 'Disconnect' : 'Connect'}
                  <span class="hidden"> {name}</span>
                </button>
              </div>
            </li>
          )
        })}
      </ul>
      {carriers.length === 0 && (
        <p class="faint">
          While nothing is connected no other book hears this one; what it says waits to be sent.
        </p>
      )}
    </section>
  )
}

/** Why nothing goes out over this way, as the engine says it. */
function faultOf(way: PoolWay): string | undefined {
  const lead = `The pool can't send over ${way}: `
  const said = status.value?.degraded.find((text) => text.includes(lead))
  return said?.slice(said.indexOf(lead) + lead.length)
}
