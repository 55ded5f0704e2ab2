// A profile: what holds of a user now, and what was said before and holds no longer.
import type { CapabilityOutput } from '../../../../src/index.ts'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { Time } from '../../../parts/time.tsx'
import { useAnswer } from '../../../parts/use-answer.ts'
import type { Profile } from '../../../kind/profile-kind.ts'
import { book } from '../../../state/book.ts'
import { openRecord } from '../../../state/act/open-record.ts'
import { HeadRows, restOf, Section } from '../section.tsx'

type Told = CapabilityOutput<'ks:get_profile'>['facts'][number]

export function ProfileSections({ record: profile }: { record: Profile }) {
  const { agent, user_id } = profile
  const { value, error } = useAnswer(
    async () => book.peek()?.conversation.profile({ agent, user_id }),
    [profile.id, profile.ver],
  )
  return (
    <>
      {error !== undefined && <ErrorNotice title="The profile could not be read." error={error} />}
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

function Facts({ facts }: { facts: readonly Told[] }) {
  return (
    <table class="plain-table">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">Value</th>
          <th scope="col">Message</th>
        </tr>
      </thead>
      <tbody>
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
      </tbody>
    </table>
  )
}
