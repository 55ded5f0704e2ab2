// A fact: its data, its validation, and the chain of facts that supersede each other.
import { Icon, Time } from '../../parts/inline.tsx'
import { ValueView } from '../../parts/value-view.tsx'
import type { ShownFact } from '../../kind/fact-kind.ts'
import { FilterButton, HeadRows, restOf, Row, Section } from './section.tsx'
import type { Daybook, Fact } from '../../../src/index.ts'
import { useAnswer } from '../../parts/hook.ts'
import { book } from '../../state/book.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { changedPaths, valueAt } from '../../wording/difference-word.ts'

const factFields = ['schema', 'data', 'source', 'verified', 'schema_version', 'supersedes', 'isSuperseded']

export function FactSections({ record: fact }: { record: ShownFact }) {
  return (
    <>
      {fact.isSuperseded && (
        <p class="notice warn">
          <Icon name="alert" /> Superseded by another fact. It no longer appears in recall and lists.
        </p>
      )}
      <Section name="Data" rest={restOf(fact, factFields)}>
        <ValueView value={fact.data} depth={1} />
      </Section>
      <Section name="Source">
        <Row name="schema">
          <FilterButton view="facts" field="schema" value={fact.schema} />
        </Row>
        <Row name="source">
          {fact.source === undefined ? (
            <span class="faint">not said</span>
          ) : (
            <FilterButton view="facts" field="source" value={fact.source} />
          )}
        </Row>
        <Row name="verified">{fact.verified ? 'yes' : 'no'}</Row>
        <HeadRows record={fact} view="facts" />
      </Section>
      <FactCheck fact={fact} />
      <FactChain fact={fact} />
    </>
  )
}

function FactCheck({ fact }: { fact: Fact }) {
  const { schema: name, schema_version: version } = fact
  const { value: schema } = useAnswer(
    async () => (await book.peek()?.facts.schemas.get({ name })) ?? null,
    [name, fact.ver],
  )
  return (
    <Section name="Validation">
      <p>
        {version === undefined
          ? `Not validated: schema “${name}” did not exist yet.`
          : `Valid against “${name}” v${version}.`}
      </p>
      {schema && version !== undefined && schema.version > version && (
        <p class="quiet">
          Version {schema.version} is registered today; facts stored before are not validated again.
        </p>
      )}
      {schema && (
        <p>
          <button
            type="button"
            class="link"
            onClick={() => openRecord({ id: schema.id, kind: 'fact_schema' })}
          >
            Show the schema
          </button>
        </p>
      )}
      {schema === null && version === undefined && (
        <p class="quiet">Register a schema of that name under Schemas, and facts stored later are checked.</p>
      )}
    </Section>
  )
}

/** More than anyone reads; a longer chain is followed from the last one shown. */
const chainLength = 50

function FactChain({ fact }: { fact: Fact }) {
  const { value: chain, error } = useAnswer(async () => {
    const from = book.peek()
    return from ? readChain(from, fact) : [fact]
  }, [fact.id, fact.ver])
  if (error !== undefined) return <ErrorNotice title="The chain of facts could not be read." error={error} />
  if (!chain || chain.length < 2) return null
  return (
    <Section name="Previous values">
      <ol class="chain">
        {chain.map((one, i) => (
          <li key={one.id} class={one.id === fact.id ? 'chain-link is-here' : 'chain-link'}>
            <p class="chain-head">
              {one.id === fact.id ? (
                <b>This fact</b>
              ) : (
                <button type="button" class="link" onClick={() => openRecord(one)}>
                  {i === 0 ? 'Current fact' : 'Earlier fact'}
                </button>
              )}
              <span class="faint">
                <Time at={one.created_at} /> · {one.agent}
              </span>
            </p>
            <Changes fact={one} before={chain[i + 1]} />
          </li>
        ))}
      </ol>
    </Section>
  )
}

function Changes({ fact, before }: { fact: Fact; before: Fact | undefined }) {
  if (!before) return null
  const paths = changedPaths(before.data, fact.data)
  if (paths.length === 0) return <p class="quiet">No change</p>
  return (
    <dl class="fields">
      {paths.slice(0, 8).map((path) => (
        <div key={path} class="field">
          <dt>{path}</dt>
          <dd class="change">
            <Change was={valueAt(before.data, path)} is={valueAt(fact.data, path)} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Change({ was, is }: { was: unknown; is: unknown }) {
  return (
    <>
      {was !== undefined && (
        <del>
          <ValueView value={was} depth={2} />
        </del>
      )}
      {is === undefined ? (
        <span class="faint">removed</span>
      ) : (
        <ins>
          <ValueView value={is} depth={2} />
        </ins>
      )}
    </>
  )
}

/** From the newest to the oldest. */
async function readChain(from: Daybook, fact: Fact): Promise<Fact[]> {
  const chain = [fact]
  for (let newest = chain[0]; newest && chain.length < chainLength; newest = chain[0]) {
    const { records } = await from.records.citing({ id: newest.id })
    const next = records.find((one) => 'supersedes' in one && one['supersedes'] === chain[0]?.id)
    if (!next) break
    chain.unshift(next as unknown as Fact)
  }
  for (let oldest = chain.at(-1); oldest?.supersedes !== undefined && chain.length < chainLength;) {
    const before = await from.records.get({ id: oldest.supersedes })
    if (before?.kind !== 'fact') break
    oldest = before as unknown as Fact
    chain.push(oldest)
  }
  return chain
}
