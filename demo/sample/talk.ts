// What is said around the visits of the guided sample, between the one who sends the parcel and the courier.
import type { Daybook } from '../../src/index.ts'
import type { Visit } from './courier.ts'

const agent = 'courier'
const sender = { type: 'User', id: 'user:mara', name: 'Mara' }
const courier = { type: 'Agent', id: 'agent:courier', name: 'Courier' }

async function say(book: Daybook, visit: Visit, lines: readonly (readonly [typeof sender, string])[]) {
  const began = Date.now()
  await book.conversation.storeMany({
    agent,
    session: visit.session,
    messages: lines.map(([source, content], i) => ({
      content,
      source,
      timestamp: new Date(began + i).toISOString(),
      metadata: { sample: true },
    })),
  })
}

export async function talkAfter(book: Daybook, first: Visit, second: Visit): Promise<void> {
  await say(book, first, [
    [sender, 'Please bring this parcel to the archive. I live in Porto and cannot come myself.'],
    [
      courier,
      `It is there. I opened ${first.doors.length} doors on the way; ${first.deadEnds.size} led nowhere.`,
    ],
    [sender, 'Thank you! Next time you will know the way.'],
  ])
  await say(book, second, [
    [sender, 'A second parcel for the archive, please. My favourite colour for the ribbon is green.'],
    [courier, `Done, with ${second.doors.length} doors this time. I remembered which ones to leave shut.`],
  ])
  for (const { session } of [first, second]) await book.conversation.archive({ agent, session })
  const { records } = await book.conversation.list({ agent, filters: { 'source.id': sender.id } })
  await book.conversation.updateProfile({
    agent,
    history: records.toReversed().map(({ content, source, timestamp }) => ({ content, source, timestamp })),
  })
}
