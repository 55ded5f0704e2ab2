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
        This is where messages between people and agents appear, by session. Empty and duplicate messages are
        skipped, and the caller is told.
      </p>
    </EmptyKind>
  )
}

export function EmptyEpisodes() {
  const code = `await book.conversation.archive({ session: 'monday' })`
  return (
    <EmptyKind title="No episodes yet" code={code}>
      <p>
        This is where episodes appear: parts of a conversation summarized in a few sentences with keywords, by
        extracting key sentences or, where the book has one, by a language model.
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
        This is where profiles appear: what an agent knows about each user from their messages. Facts that
        were contradicted later stay, marked with when they ended.
      </p>
    </EmptyKind>
  )
}
