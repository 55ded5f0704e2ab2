// The view of the audit: the result of every envelope at this copy of the book, with the reason.
import { LogTable } from '../../parts/table.tsx'
import { More } from '../../parts/list-part.tsx'
import { FilterText } from '../../parts/field/filter-input.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Time } from '../../parts/inline.tsx'
import { ChoiceField } from '../../parts/field/form-field.tsx'
import { auditChoices, refusedResults } from '../../kind/view-field.ts'
import type { AuditEntry } from '../../kind/pool/pool-record.ts'
import { chipOf, narrow } from '../../state/address.ts'
import { audit, auditFailure, hasFresh, loadAudit, loadOlder } from '../../state/pool/audit.ts'
import {
  envelopeWord,
  envelopeWords,
  isKnownReason,
  reasonSentence,
  resultWords,
  wayWord,
} from '../../wording/pool-word.ts'
import { ClawName } from './pool-part.tsx'
import { PoolPage } from './pool-page.tsx'

export function PoolAuditView() {
  const all = audit.value
  return (
    <PoolPage title="Audit">
      <p class="quiet">
        Every envelope that this copy of the book received or sent, with its outcome and the reason. Kept on
        this device for 30 days, 10,000 entries at most.
      </p>
      <Filters />
      <ErrorNotice title="The audit could not be read." error={auditFailure.value} retry={loadAudit} />
      {hasFresh.value && <More onMore={loadAudit}>Show new entries</More>}
      {all && all.entries.length === 0 && <Nothing />}
      {all && all.entries.length > 0 && <Table all={all.entries} />}
      {all?.cursor !== undefined && <More onMore={loadOlder}>Show older entries</More>}
    </PoolPage>
  )
}

function Filters() {
  return (
    <div class="field-row" role="search" aria-label="Filter the audit">
      <ChoiceField
        label="Result"
        all="All results"
        words={auditChoices}
        value={chipOf('result')}
        onChoose={(result) => narrow({ result })}
      />
      <ChoiceField
        label="Type"
        all="All types"
        words={envelopeWords}
        value={chipOf('type')}
        onChoose={(type) => narrow({ type })}
      />
      <FilterText
        label="Agent"
        placeholder="exact id, like logs@main"
        value={chipOf('claw')}
        onDone={(claw) => narrow({ claw })}
      />
      <button type="button" class="button" onClick={() => void loadAudit()}>
        Refresh
      </button>
    </div>
  )
}

function Nothing() {
  if (['result', 'type', 'claw'].some((name) => chipOf(name) !== undefined))
    return <EmptyNote title="No entry matches these filters." />
  return (
    <EmptyNote title="No envelopes yet">
      <p>
        This is where envelopes of the pool appear: presence, proposals, votes, decisions and facts, and why
        one was rejected. Connect in Agents, or hand one in with{' '}
        <code>book.pool.takeIn({'{ envelope }'})</code>.
      </p>
    </EmptyNote>
  )
}

function Table({ all }: { all: readonly AuditEntry[] }) {
  return (
    <LogTable label="Entries" look="audit" heads={['When', 'Result', 'Why', 'Type', 'Agent', 'Came by']}>
      {all.map((entry) => (
        <Row key={entry.n} entry={entry} />
      ))}
    </LogTable>
  )
}

const refused: readonly string[] = refusedResults
const markOf = (result: string) =>
  result === 'accepted' ? 'done' : refused.includes(result) ? 'refused' : 'superseded'

function Row({ entry: { at, result, type, claw, reason, from, count } }: { entry: AuditEntry }) {
  return (
    <tr>
      <td class="log-time">
        <Time at={at} />
        {count > 1 && <span class="faint"> × {count}</span>}
      </td>
      <td class="log-outcome">
        <span aria-hidden="true">
          <Mark mark={markOf(result)} />
        </span>{' '}
        {resultWords[result]}
      </td>
      <td class="audit-why">
        {reasonSentence(reason)} {isKnownReason(reason) && <code class="faint">{reason}</code>}
      </td>
      <td>{envelopeWord(type)}</td>
      <td class="audit-claw">
        {claw === '' ? (
          <span class="faint">unknown</span>
        ) : (
          <button type="button" class="link" onClick={() => narrow({ claw: claw })}>
            <ClawName claw={claw} />
          </button>
        )}
      </td>
      <td class="log-time">{wayIn(from, reason)}</td>
    </tr>
  )
}

function wayIn(from: string | undefined, reason: string): string {
  if (from !== undefined) return wayWord(from)
  return reason === 'sent' ? 'This book' : 'By hand'
}
