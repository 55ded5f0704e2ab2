// The guided sample from its beginning to its end: every view of the inspector has something to show after it.
import type { Daybook } from '../../src/index.ts'
import { visitHouse } from './courier.ts'
import { grantTokens } from './grant.ts'
import { learnFromFirst, learnFromSecond, noteUse, prepareLearning } from './learning.ts'
import { talkAfter } from './talk.ts'

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
  const known = await learnFromFirst(book, first)
  const second = await visitHouse(book, { session: 'sample-second-visit', isRemembering: true }, onDoor)
  await noteUse(book, true)
  await learnFromSecond(book, second, { known, avoid: [...first.deadEnds.keys()] })
  await talkAfter(book, first, second)
  await grantTokens(book)
  return {
    traces: first.doors.length + second.doors.length + 2,
    firstDoors: first.doors.length,
    secondDoors: second.doors.length,
  }
}
