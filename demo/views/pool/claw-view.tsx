// The view of agents: each with its capabilities, those not admitted, this book as an agent, connections, and rules.
import { useSubmit } from '../../parts/hook.ts'
import { RowAct } from '../../parts/list-part.tsx'
import { FilterText } from '../../parts/field/filter-input.tsx'
import { ChoiceField, TextArea, TextField } from '../../parts/field/form-field.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Mark } from '../../parts/mark.tsx'
import { ShortId } from '../../parts/copy-button.tsx'
import { Time } from '../../parts/inline.tsx'
import { clawStates } from '../../kind/view-field.ts'
import type { Claw, Claws } from '../../kind/pool/pool-record.ts'
import { chipOf, go, narrow } from '../../state/address.ts'
import {
  able,
  agentsHeading,
  announceSelf,
  askAdmit,
  askFailure,
  claws,
  letGo,
  ownClaw,
  type Pool,
  pool,
  setWay,
} from '../../state/pool/pool.ts'
import { connectionWord, ruleSentences, silenceSentence } from '../../wording/pool-word.ts'
import { countOf } from '../../wording/text-word.ts'
import { PoolPage } from './pool-page.tsx'
import { useSignal } from '@preact/signals'
import { edgeUrl, type PoolWay } from '../../state/setting.ts'
import { status } from '../../state/status.ts'

export function ClawView() {
  const all = pool.value
  return (
    <PoolPage title="Agents">
      {all && (
        <>
          <Agents all={all} />
          <Applicants all={all} />
          <AnnounceCard key={all.claws.you} you={all.claws.you} />
          <ConnectionCard claws={all.claws} />
          <section aria-label="Rules">
            <h2>Rules of the group “{all.config.group}”</h2>
            <ul class="plain-list sentences">
              {ruleSentences(all.config).map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
            <p class="faint">
              Change them with <code>book.pool.configure()</code>, for all devices of this book.
            </p>
          </section>
        </>
      )}
    </PoolPage>
  )
}

function Agents({ all: { claws: all } }: { all: Pool }) {
  const shown = claws.value
  if (all.claws.length === 0)
    return (
      <EmptyNote title="No agents yet">
        <p>
          This is where the agents of the pool appear: what each can do, and whether it is active. Announce
          this book as an agent below, and connect it to the others.
        </p>
      </EmptyNote>
    )
  return (
    <>
      <p class="quiet" role="status">
        {silenceSentence(all.active, all.quorum)}
      </p>
      <Filters />
      {shown.length === 0 ? (
        <EmptyNote title="No agent matches these filters." />
      ) : (
        <section aria-label="Known agents">
          <h2 ref={agentsHeading} tabIndex={-1}>
            {countOf(shown.length, 'agent')}
          </h2>
          <ul class="queue">
            {shown.map((claw) => (
              <ClawRow key={claw.claw} claw={claw} isYou={claw.claw === all.you} />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

/** Agents that are not admitted, with their keys to compare. */
function Applicants({ all: { claws: all } }: { all: Pool }) {
  const asking = all.asking ?? []
  if (asking.length === 0) return null
  return (
    <section aria-label="Not admitted">
      <h2>{countOf(asking.length, 'agent')} not admitted</h2>
      <p class="faint">
        Nothing that they say counts. Compare the key with what their owner tells you before you admit one.
      </p>
      <ul class="queue">
        {asking.map(({ claw, key, displayName: name, seenAt: seen }) => (
          <li key={`${claw} ${key}`} class="memory-row claw-row">
            <p class="claw-head">
              <strong>
                <bdi>{name ?? claw}</bdi>
              </strong>
              {name !== undefined && <code class="faint">{claw}</code>}
            </p>
            <p class="memory-facts">
              <span>
                last seen <Time at={seen} />
              </span>
              {key !== undefined && (
                <span>
                  key <ShortId id={key} of="key" />
                </span>
              )}
            </p>
            <div class="row-acts">
              <AdmitButton claw={claw} name={name} claimed={key} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface AdmitButtonProps {
  readonly claw: string
  readonly name: string | undefined
  /** The key that it claims, to compare. */
  readonly claimed: string | undefined
}

function AdmitButton({ claw, name = claw, claimed: key }: AdmitButtonProps) {
  return <RowAct word="Admit" of={name} onAct={() => askAdmit({ claw, name, key })} />
}

function Filters() {
  const failure = askFailure.value
  return (
    <div class="field-row" role="search" aria-label="Filter agents">
      <ChoiceField
        label="State"
        all="All states"
        words={clawStates}
        value={chipOf('state')}
        onChoose={(state) => narrow({ state })}
      />
      <FilterText
        label="Who can"
        placeholder="logs.read:/var/log/app/*"
        value={chipOf('can')}
        aria-describedby={failure === undefined ? undefined : 'who-can-error'}
        onDone={(can) => narrow({ can })}
      />
      <div id="who-can-error">
        <ErrorNotice title="The agents could not be searched." error={failure} />
      </div>
    </div>
  )
}

const markOf = { active: 'present', stale: 'stale', stopping: 'stopping' } as const

function ClawRow({ claw: one, isYou }: { claw: Claw; isYou: boolean }) {
  const { claw, displayName: name, state, seenAt: seen, capabilities, keys, model } = one
  const matched = able.value?.get(claw)?.matched ?? []
  return (
    <li class="memory-row claw-row">
      <p class="claw-head">
        <strong>
          <bdi>{name ?? claw}</bdi>
        </strong>
        {name !== undefined && <code class="faint">{claw}</code>}
        {isYou && <span class="state">You</span>}
        {one.standing === 'let_go' && <span class="state">Let go</span>}
        <span class="spacer" />
        <Mark mark={markOf[state]} word />
      </p>
      {capabilities.length === 0 ? (
        <p class="faint">No capabilities announced.</p>
      ) : (
        <ul class="capabilities" aria-label="Capabilities">
          {capabilities.map((capability) => (
            <li key={capability}>
              <button
                type="button"
                class={matched.includes(capability) ? 'capability is-matched' : 'capability'}
                title="Who else can do this?"
                onClick={() => narrow({ can: capability })}
              >
                {capability}
                {matched.includes(capability) && <span class="hidden"> (matches)</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
      <p class="memory-facts">
        {seen !== undefined && (
          <span>
            last seen <Time at={seen} />
          </span>
        )}
        {model !== undefined && <bdi>{model}</bdi>}
        {keys.map((key) => (
          <span key={key}>
            key <ShortId id={key} of="key" />
          </span>
        ))}
        <button
          type="button"
          class="link"
          onClick={() => go({ view: 'poolAudit', id: undefined, chips: [{ field: 'claw', value: claw }] })}
        >
          Outcome<span class="hidden">: {claw}</span>
        </button>
      </p>
      <Standing claw={one} />
    </li>
  )
}

/** The buttons that admit an agent to the pool, or let it go. */
function Standing({ claw: { claw, displayName: name = claw, keys, standing } }: { claw: Claw }) {
  const [key] = keys
  if (standing === 'own' || standing === 'unknown') return null
  return (
    <div class="row-acts">
      {standing === 'let_go' ? (
        <AdmitButton claw={claw} name={name} claimed={key} />
      ) : (
        <RowAct word="Let go" of={name} onAct={() => letGo({ claw, name, key })} />
      )}
    </div>
  )
}

/** The name and the capabilities that this page's agent announces to the group. */
function AnnounceCard({ you }: { you: string }) {
  const own = ownClaw.value
  const name = useSignal(own?.displayName ?? '')
  const lines = useSignal((own?.capabilities ?? []).join('\n'))
  const { failure, submit } = useSubmit(() => {
    const capabilities = lines.value.split('\n').flatMap((line) => line.trim() || [])
    return announceSelf(name.value.trim(), capabilities)
  })
  return (
    <section class="card" aria-label="This book">
      <h2>{own ? 'This book as an agent' : 'Announce this book as an agent'}</h2>
      <p class="quiet">
        Others know it as <code>{you}</code>. They see its capabilities and can ask for them; it needs no
        capability to vote.
      </p>
      <form
        class="fields-form"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <TextField label="Name" of={name} maxLength={200} placeholder="Log reader" />
        <TextArea
          label="Capabilities, one per line"
          of={lines}
          class="input mono"
          rows={3}
          spellcheck={false}
          placeholder={'logs.read:/var/log/app/*\ndb.read:orders,customers'}
        />
        <ErrorNotice title="It was not announced." error={failure} />
        <div>
          <button type="submit" class="button">
            {own ? 'Announce again' : 'Announce'}
          </button>
        </div>
      </form>
    </section>
  )
}

const ways: readonly { way: PoolWay; name: string; text: string }[] = [
  {
    way: 'tabs',
    name: 'Books of this origin',
    text: 'Every open book of this browser and site, in any tab.',
  },
  {
    way: 'edge',
    name: 'The edge',
    text: 'Other devices of this book, and through a bridge that one of them runs (daybook kafka), Apache Kafka.',
  },
]

function ConnectionCard({ claws: { carriers, unsent } }: { claws: Claws }) {
  return (
    <section aria-label="Connections">
      <h2>Connections</h2>
      <ul class="queue">
        {ways.map(({ way, name, text }) => {
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
              <p class="faint">{isAbsent ? 'This page was built without an edge.' : text}</p>
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
        <p class="faint">Without a connection no other book hears this one. Its messages wait to be sent.</p>
      )}
    </section>
  )
}

/** The engine's reason why a connection sends nothing. */
function faultOf(way: PoolWay): string | undefined {
  const lead = `The pool can't send over ${way}: `
  const fault = status.value?.degraded.find((text) => text.includes(lead))
  return fault?.slice(fault.indexOf(lead) + lead.length)
}
