// What the views of conversations say while there are none.
import { EmptyKind } from '../empty-kind.tsx'

export function EmptyMessages() {
  const code = `await book.conversation.store({
  session: 'monday',
  message: { content: 'I moved to Porto last week', source: { User: 'mara' } },
})`
  return (
    <EmptyKind title="No messages yet" code={code}>
      <p>
        Here stands what was said between people and agents, by session. An empty message or one that is known
        already is skipped, and the caller is told so.
      </p>
    </EmptyKind>
  )
}

export function EmptyEpisodes() {
  const code = `await book.conversation.archive({ session: 'monday' })`
  return (
    <EmptyKind title="No episodes yet" code={code}>
      <p>
        Here stand stretches of conversation, each told in a few sentences with words to find it by: made by
        taking out the telling sentences, or by a language model where the book has one.
      </p>
    </EmptyKind>
  )
}

export function EmptyProfiles() {
  const code = `await book.conversation.updateProfile({
  history: [{ content: 'I live in Porto', source: { User: 'mara' } }],
})`
  return (
    <EmptyKind title="No profiles yet" code={code}>
      <p>
        Here stands what an agent knows of each user from what they said. What is contradicted later stays,
        marked with until when it held.
      </p>
    </EmptyKind>
  )
}
