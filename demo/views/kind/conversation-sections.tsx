// A message within its session, an episode with its summary, and a profile with current and earlier facts.
import { PlainTable } from '../../parts/table.tsx'
import type { CapabilityOutput, Daybook } from '../../../src/index.ts'
import { ClampedText } from '../../parts/clamped-text.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Time } from '../../parts/inline.tsx'
import { useAnswer } from '../../parts/hook.ts'
import { type Message, speakerOf } from '../../kind/message-kind.ts'
import { go } from '../../state/address.ts'
import { book } from '../../state/book.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { countOf, oneLine } from '../../wording/text-word.ts'
import { Block, FilterButton, hasFields, HeadRows, restOf, Row, RunLink, Section } from './section.tsx'
import type { Episode } from '../../kind/episode-kind.ts'
import type { Profile } from '../../kind/profile-kind.ts'

const messageFields = ['msg_id', 'content', 'source', 'timestamp', 'metadata']

export function MessageSections({ record: message }: { record: Message }) {
  const { content, metadata, msg_id: name, session, source } = message
  return (
    <>
      <Section name="Content" rest={restOf(message, messageFields)}>
        <ClampedText text={content} />
        <Row name="speaker">
          {source.id === undefined ? (
            speakerOf(message)
          ) : (
            <>
              {speakerOf(message)} <FilterButton view="messages" field="speaker" value={source.id} />
            </>
          )}
        </Row>
        <Row name="agent">
          <FilterButton view="messages" field="agent" value={message.agent} />
        </Row>
        {session !== undefined && (
          <Row name="session">
            <FilterButton view="messages" field="session" value={session} /> <RunLink record={message} />
          </Row>
        )}
        {name !== '' && <Row name="name">{name}</Row>}
        {hasFields(metadata) && <Block name="metadata" value={metadata} />}
      </Section>
      {session !== undefined && <Around message={message} session={session} />}
    </>
  )
}

const spoken = 8

function Around({ message, session }: { message: Message; session: string }) {
  const { value: lines, error } = useAnswer(async () => {
    const from = book.peek()
    return from ? readAround(from, message, session) : []
  }, [message.id])
  if (error !== undefined) return <ErrorNotice title="The conversation could not be read." error={error} />
  if (!lines || lines.length < 2) return null
  const goThere = () => {
    go({ view: 'messages', search: '', chips: [{ field: 'session', value: session }] })
  }
  return (
    <Section name="Session">
      <ol class="talk">
        {lines.map((line) => (
          <li key={line.id} class={line.id === message.id ? 'talk-line is-here' : 'talk-line'}>
            <p class="talk-head">
              <b>{oneLine(speakerOf(line), 40)}</b>{' '}
              <span class="faint">
                <Time at={line.timestamp} />
              </span>
            </p>
            {line.id === message.id ? (
              <p class="talk-text" dir="auto" aria-current="true">
                {oneLine(line.content, 400)}
              </p>
            ) : (
              <button type="button" class="talk-text" dir="auto" onClick={() => openRecord(line)}>
                {oneLine(line.content, 400)}
              </button>
            )}
          </li>
        ))}
      </ol>
      <p>
        <button type="button" class="link" onClick={goThere}>
          Show the whole session
        </button>{' '}
        <span class="faint">{countOf(lines.length, 'message')} here</span>
      </p>
    </Section>
  )
}

/** Messages of the session around this one, oldest first. */
async function readAround(from: Daybook, message: Message, session: string): Promise<Message[]> {
  const { timestamp } = message
  const ask = (when: object, orderBy: string, limit: number) =>
    from.conversation.list({
      agent: message.agent,
      session,
      filters: { timestamp: when },
      orderBy,
      limit,
    })
  const [before, after] = await Promise.all([
    ask({ lt: timestamp }, '-timestamp', spoken),
    ask({ gte: timestamp }, 'timestamp', spoken + 1),
  ])
  return [...before.records.toReversed(), ...after.records]
}

const episodeFields = ['summary', 'keywords', 'start_time', 'end_time', 'message_count', 'messages', 'method']

export function EpisodeSections({ record: episode }: { record: Episode }) {
  const { summary, keywords, method, start_time: start, end_time: end } = episode
  return (
    <>
      <Section name="Summary" rest={restOf(episode, episodeFields)}>
        <ClampedText text={summary} />
        <p class="faint">
          {method === 'extractive' ? 'Extractive summary, no model used' : 'Written by a language model'}
        </p>
        {keywords.length > 0 && (
          <Row name="keywords">
            {keywords.map((keyword) => (
              <FilterButton key={keyword} view="episodes" field="keyword" value={keyword} />
            ))}
          </Row>
        )}
      </Section>
      <Section name="When">
        {start !== undefined && (
          <Row name="from">
            <Time at={start} />
          </Row>
        )}
        {end !== undefined && (
          <Row name="to">
            <Time at={end} />
          </Row>
        )}
        <Row name="messages">{episode.message_count}</Row>
        <HeadRows record={episode} view="episodes" />
      </Section>
    </>
  )
}

type ProfileFact = CapabilityOutput<'ks:get_profile'>['facts'][number]

export function ProfileSections({ record: profile }: { record: Profile }) {
  const { agent, user_id } = profile
  const { value, error } = useAnswer(
    async () => book.peek()?.conversation.profile({ agent, user_id }),
    [profile.id, profile.ver],
  )
  return (
    <>
      <ErrorNotice title="The profile could not be read." error={error} />
      <Section name="Known">
        {value && value.facts.length > 0 ? (
          <Facts facts={value.facts} />
        ) : (
          <p class="faint">No current facts.</p>
        )}
      </Section>
      {value && value.earlier.length > 0 && (
        <Section name="Before">
          <Facts facts={value.earlier} />
        </Section>
      )}
      <Section name="Whose" rest={restOf(profile, ['user_id', 'content', 'facts'])}>
        <HeadRows record={profile} view="profiles" />
      </Section>
    </>
  )
}

function Facts({ facts }: { facts: readonly ProfileFact[] }) {
  return (
    <PlainTable heads={['What', 'Value', 'Message']}>
      {facts.map((fact) => (
        <tr key={`${fact.attribute} ${fact.value}`}>
          <th scope="row">{fact.attribute}</th>
          <td>
            {fact.value}
            {fact.superseded_at !== undefined && (
              <span class="faint">
                {' '}
                · until <Time at={fact.superseded_at} />
                {fact.superseded_by !== undefined && `, then ${fact.superseded_by}`}
              </span>
            )}
          </td>
          <td>
            {fact.messages[0] === undefined ? (
              <Time at={fact.stated_at} />
            ) : (
              <button
                type="button"
                class="link"
                onClick={() => openRecord({ id: fact.messages.at(-1) ?? '', kind: 'message' })}
              >
                <Time at={fact.stated_at} />
              </button>
            )}
          </td>
        </tr>
      ))}
    </PlainTable>
  )
}
