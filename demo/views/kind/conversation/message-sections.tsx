// A message within its conversation: what was said shortly before and after it in the same session.
import type { Daybook } from '../../../../src/index.ts'
import { ClampedText } from '../../../parts/clamped-text.tsx'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { Time } from '../../../parts/time.tsx'
import { useAnswer } from '../../../parts/use-answer.ts'
import { type Message, speakerOf } from '../../../kind/message-kind.ts'
import { go } from '../../../state/address.ts'
import { book } from '../../../state/book.ts'
import { openRecord } from '../../../state/act/open-record.ts'
import { countOf, oneLine } from '../../../wording/text-word.ts'
import { RunLink } from '../run-link.tsx'
import { Block, FilterButton, hasFields, restOf, Row, Section } from '../section.tsx'

const known = ['msg_id', 'content', 'source', 'timestamp', 'metadata']

export function MessageSections({ record: message }: { record: Message }) {
  const { content, metadata, msg_id: name, session, source } = message
  return (
    <>
      <Section name="Content" rest={restOf(message, known)}>
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
