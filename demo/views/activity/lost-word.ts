// Why the words of an entry are not there, in words.
import type { ActivityEntry } from '../../state/activity/activity.ts'

export const lostWords: Readonly<Record<NonNullable<ActivityEntry['lost']>, string>> = {
  forgotten: 'Text removed: a record it recalled was forgotten or made sensitive',
  locked: 'Text not available: the book is or was locked',
  size: 'Text not kept: too long',
}
