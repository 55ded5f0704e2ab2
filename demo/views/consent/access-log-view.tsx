// The view of the log of access: who called what, when, and what came of it.
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Time } from '../../parts/time.tsx'
import { FilterChoice } from '../../parts/field/filter-choice.tsx'
import { FilterInput } from '../../parts/field/filter-input.tsx'
import { logOutcomes } from '../../kind/view-field.ts'
import {
  type AccessEntry,
  deniedCodes,
  entries,
  hasMore,
  loadLog,
  loadOlder,
  logFailure,
} from '../../state/consent/access-log.ts'
import { chipOf, narrow } from '../../state/address.ts'
import { status } from '../../state/status.ts'
import { countOf, kindsWord, kindWord } from '../../wording/text-word.ts'
import { ConsentPage } from './consent-page.tsx'

export function AccessLogView() {
  const all = entries.value
  return (
    <ConsentPage title="Access log">
      <p class="quiet">
        Calls by agents and guests, including denied ones, and everything written. Without content, on this
        device only, for 90 days.
      </p>
      <Filters />
      {logFailure.value !== undefined && (
        <ErrorNotice
          title="The log could not be read."
          error={logFailure.value}
          retry={() => void loadLog()}
        />
      )}
      {all && all.length === 0 && <Nothing />}
      {all && all.length > 0 && <Table all={all} />}
      {hasMore.value && (
        <p>
          <button type="button" class="button" onClick={() => void loadOlder()}>
            Show older entries
          </button>
        </p>
      )}
    </ConsentPage>
  )
}

function Filters() {
  return (
    <div class="field-row" role="search" aria-label="Filter the log">
      <FilterChoice
        label="Outcome"
        all="All outcomes"
        words={logOutcomes}
        value={chipOf('outcome')}
        onChoose={(outcome) => narrow({ outcome })}
      />
      <label class="labelled">
        Agent
        <FilterInput
          placeholder="exact name or DID"
          value={chipOf('agent')}
          onDone={(agent) => narrow({ agent })}
        />
      </label>
      {status.value?.sync.configured && (
        <FilterChoice
          label="Log of"
          all="This device"
          words={{ mirror: 'The edge' }}
          value={chipOf('where')}
          onChoose={(where) => narrow({ where })}
        />
      )}
      <button type="button" class="button" onClick={() => void loadLog()}>
        Refresh
      </button>
    </div>
  )
}

function Nothing() {
  if (['outcome', 'agent', 'where'].some((name) => chipOf(name) !== undefined))
    return <EmptyNote title="No entry matches these filters." />
  return (
    <EmptyNote title="Nothing logged yet">
      <p>
        This is where calls appear: what agents and guests ask for, what they were denied, and what was
        written. Store a trace, or let an agent propose a memory.
      </p>
    </EmptyNote>
  )
}

function Table({ all }: { all: readonly AccessEntry[] }) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Entries">
      <table class="log-table">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Outcome</th>
            <th scope="col">Agent</th>
            <th scope="col">Call</th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          {all.map((entry) => (
            <Row key={entry.n} entry={entry} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const denied: readonly string[] = deniedCodes

function Row({
  entry: { at, caller, by, capability, outcome, kinds, count, purpose },
}: {
  entry: AccessEntry
}) {
  const [kind = 'record', another] = kinds
  const changed = another === undefined ? kind : 'record'
  return (
    <tr>
      <td class="log-time">
        <Time at={at} />
      </td>
      <td>
        <Outcome outcome={outcome} />
      </td>
      <td>
        {caller === '' ? (
          <span class="faint">unknown</span>
        ) : (
          <button type="button" class="link" onClick={() => narrow({ agent: caller })}>
            <bdi>{caller}</bdi>
          </button>
        )}{' '}
        <span class="faint">{by}</span>
      </td>
      <td>
        <code>{capability}</code>
        {purpose !== undefined && (
          <span class="faint">
            {' '}
            for <bdi>{purpose}</bdi>
          </span>
        )}
      </td>
      <td>{count > 0 && countOf(count, kindWord(changed), kindsWord(changed))}</td>
    </tr>
  )
}

/** Told by shape and by word. */
function Outcome({ outcome }: { outcome: string }) {
  if (outcome === 'ok')
    return (
      <span class="log-outcome">
        <span aria-hidden="true">
          <Mark mark="done" />
        </span>{' '}
        allowed
      </span>
    )
  return (
    <span class="log-outcome">
      <span aria-hidden="true">
        <Mark mark={denied.includes(outcome) ? 'refused' : 'failed'} />
      </span>{' '}
      {denied.includes(outcome) ? 'denied' : 'failed'} <code>{outcome}</code>
    </span>
  )
}
