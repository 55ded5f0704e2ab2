// The view of the access log: calls with their caller, time and outcome.
import { LogTable } from '../../parts/table.tsx'
import { More } from '../../parts/list-part.tsx'
import { Page } from '../shell/page.tsx'
import { FilterText } from '../../parts/field/filter-input.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Time } from '../../parts/inline.tsx'
import { ChoiceField } from '../../parts/field/form-field.tsx'
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

export function AccessLogView() {
  const all = entries.value
  return (
    <Page look="consent" title="Access log">
      <p class="quiet">
        Calls by agents and guests, including denied ones, and everything written. Without content, on this
        device only, for 90 days.
      </p>
      <Filters />
      <ErrorNotice title="The log could not be read." error={logFailure.value} retry={loadLog} />
      {all && all.length === 0 && <Nothing />}
      {all && all.length > 0 && <Table all={all} />}
      {hasMore.value && <More onMore={loadOlder}>Show older entries</More>}
    </Page>
  )
}

function Filters() {
  return (
    <div class="field-row" role="search" aria-label="Filter the log">
      <ChoiceField
        label="Outcome"
        all="All outcomes"
        words={logOutcomes}
        value={chipOf('outcome')}
        onChoose={(outcome) => narrow({ outcome })}
      />
      <FilterText
        label="Agent"
        placeholder="exact name or DID"
        value={chipOf('agent')}
        onDone={(agent) => narrow({ agent })}
      />
      {status.value?.sync.configured && (
        <ChoiceField
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
    <LogTable label="Entries" heads={['When', 'Outcome', 'Agent', 'Call', 'Changed']}>
      {all.map((entry) => (
        <Row key={entry.n} entry={entry} />
      ))}
    </LogTable>
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

/** By shape and by word. */
function Outcome({ outcome }: { outcome: string }) {
  const isDenied = denied.includes(outcome)
  const isAllowed = outcome === 'ok'
  return (
    <span class="log-outcome">
      <span aria-hidden="true">
        <Mark mark={isAllowed ? 'done' : isDenied ? 'refused' : 'failed'} />
      </span>{' '}
      {isAllowed ? 'allowed' : isDenied ? 'denied' : 'failed'} {!isAllowed && <code>{outcome}</code>}
    </span>
  )
}
