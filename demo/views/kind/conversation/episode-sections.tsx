// An episode: what it tells, how that was made, and by which words it is found.
import { ClampedText } from '../../../parts/clamped-text.tsx'
import { Time } from '../../../parts/time.tsx'
import type { Episode } from '../../../kind/episode-kind.ts'
import { FilterButton, HeadRows, restOf, Row, Section } from '../section.tsx'

const known = ['summary', 'keywords', 'start_time', 'end_time', 'message_count', 'messages', 'method']

export function EpisodeSections({ record: episode }: { record: Episode }) {
  const { summary, keywords, method, start_time: start, end_time: end } = episode
  return (
    <>
      <Section name="Summary" rest={restOf(episode, known)}>
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
