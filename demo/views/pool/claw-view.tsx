// The view of agents: who is there and what each can do, this page's own word about itself, the ways to them, and the rules.
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Mark } from '../../parts/mark.tsx'
import { ShortId } from '../../parts/short-id.tsx'
import { Time } from '../../parts/time.tsx'
import { FilterChoice } from '../../parts/field/filter-choice.tsx'
import { FilterInput } from '../../parts/field/filter-input.tsx'
import { clawStates } from '../../kind/view-field.ts'
import type { Claw } from '../../kind/pool/pool-record.ts'
import { chipOf, go, narrow } from '../../state/address.ts'
import { agentsHeading, askAdmit, letGo } from '../../state/pool/admission.ts'
import { able, askFailure, claws } from '../../state/pool/claws.ts'
import { type Pool, pool } from '../../state/pool/pool.ts'
import { errorWords } from '../../wording/error-word.ts'
import { ruleSentences, silenceSentence } from '../../wording/pool-word.ts'
import { countOf } from '../../wording/text-word.ts'
import { AnnounceCard } from './announce-card.tsx'
import { ConnectionCard } from './connection-card.tsx'
import { PoolPage } from './pool-page.tsx'

export function ClawView() {
  const known = pool.value
  return (
    <PoolPage title="Agents">
      {known && (
        <>
          <Known known={known} />
          <Asking known={known} />
          <AnnounceCard key={known.claws.you} you={known.claws.you} />
          <ConnectionCard claws={known.claws} />
          <section aria-label="Rules">
            <h2>Rules of the group “{known.config.group}”</h2>
            <ul class="plain-list sentences">
              {ruleSentences(known.config).map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
            <p class="faint">
              Changed with <code>book.pool.configure()</code>, for all devices of this book.
            </p>
          </section>
        </>
      )}
    </PoolPage>
  )
}

function Known({ known: { claws: all } }: { known: Pool }) {
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

/** Who asks in, for the owner to compare the key before it is admitted. */
function Asking({ known: { claws: all } }: { known: Pool }) {
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
            <p class="memory-said">
              <span>
                last heard of <Time at={seen} />
              </span>
              {key !== undefined && (
                <span>
                  key <ShortId id={key} what="key" />
                </span>
              )}
            </p>
            <div class="row-acts">
              <AdmitButton claw={claw} name={name} asked={key} />
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
  readonly asked: string | undefined
}

function AdmitButton({ claw, name = claw, asked: key }: AdmitButtonProps) {
  return (
    <button type="button" class="button small" onClick={() => askAdmit({ claw, name, key })}>
      Admit<span class="hidden"> {name}</span>
    </button>
  )
}

function Filters() {
  const failure = askFailure.value
  return (
    <div class="field-row" role="search" aria-label="Filter agents">
      <FilterChoice
        label="State"
        all="All states"
        words={clawStates}
        value={chipOf('state')}
        onChoose={(state) => narrow({ state })}
      />
      <label class="labelled">
        Who can
        <FilterInput
          placeholder="logs.read:/var/log/app/*"
          value={chipOf('can')}
          aria-describedby={failure === undefined ? undefined : 'who-can-error'}
          onDone={(can) => narrow({ can })}
        />
      </label>
      {failure !== undefined && <ErrorNotice title={errorWords(failure as never).what} error={failure} />}
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
      <p class="memory-said">
        {seen !== undefined && (
          <span>
            last heard of <Time at={seen} />
          </span>
        )}
        {model !== undefined && <bdi>{model}</bdi>}
        {keys.map((key) => (
          <span key={key}>
            key <ShortId id={key} what="key" />
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
        <AdmitButton claw={claw} name={name} asked={key} />
      ) : (
        <button type="button" class="button small" onClick={() => void letGo({ claw, name, key })}>
          Let go<span class="hidden"> {name}</span>
        </button>
      )}
    </div>
  )
}
