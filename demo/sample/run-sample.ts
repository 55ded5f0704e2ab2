// The guided sample, start to end: after it every view of the inspector has records.
import type { Daybook } from '../../src/index.ts'
import { domain, type Visit, visitHouse } from './courier.ts'
import { learnFromFirst, learnFromSecond, noteUse, prepareLearning } from './learning.ts'

export interface SampleReport {
  readonly traces: number
  readonly firstDoors: number
  readonly secondDoors: number
}

export async function runSample(book: Daybook): Promise<SampleReport> {
  const onDoor = (wasWay: boolean) => noteUse(book, wasWay)
  await prepareLearning(book)
  const first = await visitHouse(book, { session: 'sample-first-visit', isRemembering: false }, onDoor)
  await noteUse(book, true)
  const before = await learnFromFirst(book, first)
  const second = await visitHouse(book, { session: 'sample-second-visit', isRemembering: true }, onDoor)
  await noteUse(book, true)
  await learnFromSecond(book, second, { before, avoid: [...first.deadEnds.keys()] })
  await talkAfter(book, first, second)
  await grantTokens(book)
  return {
    traces: first.doors.length + second.doors.length + 2,
    firstDoors: first.doors.length,
    secondDoors: second.doors.length,
  }
}

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

const dayMs = 86_400_000

export async function grantTokens(book: Daybook): Promise<void> {
  const in30Days = new Date(Date.now() + 30 * dayMs).toISOString()
  const { token } = await book.tokens.grant({
    granted_to: 'agent:dispatcher',
    scope: 'trace:**',
    permissions: ['read', 'delegation'],
    expires_at: in30Days,
  })
  await book.tokens.grant({
    granted_to: 'agent:helper',
    scope: `trace:${domain}`,
    permissions: ['read'],
    expires_at: new Date(Date.now() + dayMs).toISOString(),
    parent: token.token_id,
  })
  const { token: visitor } = await book.tokens.grant({
    granted_to: 'agent:visitor',
    scope: 'perception:**',
    permissions: ['read'],
    expires_at: in30Days,
  })
  await book.tokens.revoke({ token_id: visitor.token_id, reason: 'The visit is over' })
}
