// Schedules that once broke a law, each as small as it could be made, and what was wrong.
import type { Schedule } from './schedule.ts'

export interface Pinned {
  /** What was wrong, as a maintainer would say it. */
  readonly was: string
  readonly steps: Schedule
}

export const pinned: readonly Pinned[] = [
  {
    was: 'the mirror dropped its answers to a device that stayed away for 90 days, and applied an op again when it came back',
    steps: [
      { do: 'put', at: 1, record: 0 },
      { do: 'sync', at: 1, record: 0, weather: ['lose-answer'] },
      { do: 'age' },
      { do: 'sync', at: 1, record: 0, weather: ['others-meanwhile'] },
    ],
  },
  {
    was: 'a record begun anew after its tombstone was collected had an old version again, and a device took the one for the other',
    steps: [
      { do: 'sync', at: 2, record: 8, weather: ['edit-meanwhile'] },
      { do: 'put', at: 1, record: 8 },
      { do: 'forget', at: 2, record: 8 },
      { do: 'sync', at: 2, record: 7, weather: ['lose-answer'] },
      { do: 'age' },
      { do: 'sync', at: 1, record: 8, weather: [] },
      { do: 'put', at: 0, record: 8 },
    ],
  },
  {
    was: 'two devices met at a new mirror, and the earlier edit was gone without a word',
    steps: [
      { do: 'put', at: 1, record: 6 },
      { do: 'sync', at: 1, record: 4, weather: [] },
      { do: 'replace-mirror' },
      { do: 'put', at: 0, record: 6 },
    ],
  },
  {
    was: 'at a new mirror a forget removed an edit that it did not know of, without a word',
    steps: [
      { do: 'sync', at: 1, record: 7, weather: ['edit-meanwhile'] },
      { do: 'put', at: 0, record: 7 },
      { do: 'replace-mirror' },
      { do: 'forget', at: 0, record: 7 },
    ],
  },
  {
    was: 'an edit made away undid a forget whose tombstone was collected, without a word',
    steps: [
      { do: 'put', at: 1, record: 7 },
      { do: 'sync', at: 1, record: 5, weather: [] },
      { do: 'forget', at: 3, record: 7 },
      { do: 'age' },
      { do: 'put', at: 1, record: 7 },
    ],
  },
  {
    was: 'an answer that left out the first op let the mirror forget its answer to it, and the op was applied again',
    steps: [
      { do: 'put', at: 0, record: 0 },
      { do: 'put', at: 0, record: 1 },
      { do: 'sync', at: 0, record: 1, weather: ['lose-answer'] },
      { do: 'put', at: 3, record: 0 },
      { do: 'sync', at: 0, record: 0, weather: ['behead'] },
    ],
  },
  {
    was: 'a device read everything anew while an answer was missing, and passed over a change of a record it had just made',
    steps: [
      { do: 'select', at: 2, push: 0, pull: 1 },
      { do: 'start', at: 2 },
      { do: 'put', at: 2, record: 7 },
      { do: 'carry', letter: 0 },
      { do: 'carry', letter: 0 },
      { do: 'put', at: 1, record: 7 },
      { do: 'put', at: 1, record: 7 },
      { do: 'carry', letter: 0 },
    ],
  },
  {
    was: 'the late answer to an op brought back a record that had been forgotten, its tombstone collected',
    steps: [
      { do: 'sync', at: 0, record: 1, weather: ['edit-meanwhile', 'lose-answer'] },
      { do: 'forget', at: 3, record: 1 },
      { do: 'age' },
    ],
  },
  {
    was: 'the mirror could not repeat its answer to a conflict with a record whose tombstone was collected meanwhile',
    steps: [
      { do: 'put', at: 2, record: 5 },
      { do: 'put', at: 1, record: 5 },
      { do: 'forget', at: 2, record: 5 },
      { do: 'sync', at: 2, record: 4, weather: [] },
      { do: 'sync', at: 1, record: 3, weather: ['lose-answer'] },
      { do: 'age' },
    ],
  },
  {
    was: 'a device whose very first answer was lost took a record for alive that had been forgotten and collected since',
    steps: [
      { do: 'put', at: 1, record: 5 },
      { do: 'sync', at: 1, record: 2, weather: ['lose-answer'] },
      { do: 'sync', at: 2, record: 0, weather: [] },
      { do: 'forget', at: 2, record: 5 },
      { do: 'sync', at: 2, record: 1, weather: [] },
      { do: 'age' },
    ],
  },
  {
    was: 'a mirror that was set back under its epoch wrote on, and who had read further before never learned what',
    steps: [
      { do: 'sync', at: 0, record: 1, weather: [] },
      { do: 'backup-mirror' },
      { do: 'put', at: 3, record: 8 },
      { do: 'sync', at: 0, record: 7, weather: [] },
      { do: 'set-back-mirror' },
      { do: 'sync', at: 1, record: 3, weather: ['edit-meanwhile'] },
    ],
  },
  {
    was: 'what an older Daybook wrote, and the mirror refused for good, could not be written anew by a newer one',
    steps: [
      { do: 'install', at: 0, old: true },
      { do: 'put', at: 0, record: 7 },
    ],
  },
  {
    was: 'an edit that lay sealed in the conflict log was stored in clear when somebody decided for it after its record was forgotten',
    steps: [
      { do: 'sync', at: 0, record: 5, weather: ['edit-meanwhile'] },
      { do: 'sync', at: 1, record: 5, weather: [] },
      { do: 'forget', at: 1, record: 5 },
      { do: 'sync', at: 1, record: 5, weather: [] },
      { do: 'seal', at: 0, record: 5 },
      { do: 'sync', at: 0, record: 5, weather: [] },
      { do: 'decide', at: 0, nth: 0, side: 'loser' },
    ],
  },
  {
    was: 'a purge whose answer was lost was sent once more with the next edit, and took what another had made on it meanwhile',
    steps: [
      { do: 'sync', at: 2, record: 11, weather: ['edit-meanwhile'] },
      { do: 'purge', at: 2, record: 11 },
      { do: 'sync', at: 2, record: 11, weather: ['lose-answer'] },
      { do: 'sync', at: 0, record: 11, weather: [] },
      { do: 'put', at: 2, record: 11 },
      { do: 'sync', at: 2, record: 11, weather: ['others-meanwhile'] },
    ],
  },
  {
    was: 'a purge that had gone in place of an edit was sent once more, and took what another had made on it meanwhile',
    steps: [
      { do: 'put', at: 2, record: 6 },
      { do: 'sync', at: 2, record: 6, weather: ['lose-request'] },
      { do: 'purge', at: 2, record: 6 },
      { do: 'sync', at: 2, record: 6, weather: ['lose-answer'] },
      { do: 'sync', at: 0, record: 6, weather: [] },
      { do: 'sync', at: 2, record: 6, weather: ['others-meanwhile'] },
    ],
  },
  {
    was: 'an edit after a purge that had gone in place of another edit purged once more what another had made meanwhile',
    steps: [
      { do: 'put', at: 2, record: 6 },
      { do: 'sync', at: 2, record: 6, weather: ['lose-request'] },
      { do: 'purge', at: 2, record: 6 },
      { do: 'sync', at: 2, record: 6, weather: ['lose-answer'] },
      { do: 'sync', at: 0, record: 6, weather: [] },
      { do: 'put', at: 2, record: 6 },
      { do: 'sync', at: 2, record: 6, weather: ['others-meanwhile'] },
    ],
  },
  {
    was: 'a forget went out where the mirror had been told to purge, whose device kept the words of a lost edit',
    steps: [
      { do: 'put', at: 3, record: 10 },
      { do: 'sync', at: 0, record: 10, weather: ['edit-meanwhile'] },
      { do: 'sync', at: 0, record: 10, weather: ['edit-meanwhile', 'lose-request'] },
      { do: 'forget', at: 0, record: 10 },
      { do: 'purge', at: 3, record: 10 },
    ],
  },
  {
    was: 'a purge was not told to a mirror that had forgotten, and kept the words of the edit that it had refused',
    steps: [
      { do: 'put', at: 3, record: 12 },
      { do: 'forget', at: 3, record: 12 },
      { do: 'sync', at: 0, record: 12, weather: ['edit-meanwhile', 'lose-answer'] },
      { do: 'purge', at: 0, record: 12 },
      { do: 'sync', at: 2, record: 12, weather: ['others-meanwhile'] },
    ],
  },
  {
    was: 'a purge was not taken by the mirror where the edit that came with it lost to an earlier forget',
    steps: [
      { do: 'put', at: 3, record: 12 },
      { do: 'put', at: 3, record: 12 },
      { do: 'forget', at: 3, record: 12 },
      { do: 'sync', at: 0, record: 12, weather: ['edit-meanwhile', 'lose-answer'] },
      { do: 'purge', at: 0, record: 12 },
      { do: 'sync', at: 2, record: 12, weather: ['others-meanwhile'] },
    ],
  },
  {
    was: 'a device forgot what another one had purged and begun anew, was not told of the purge, and kept the purged text in its log',
    steps: [
      { do: 'put', at: 0, record: 4 },
      { do: 'sync', at: 0, record: 4, weather: [] },
      { do: 'put', at: 1, record: 4 },
      { do: 'purge', at: 0, record: 4 },
      { do: 'put', at: 0, record: 4 },
      { do: 'sync', at: 1, record: 4, weather: [] },
      { do: 'forget', at: 1, record: 4 },
    ],
  },
  {
    was: 'a device that stayed away until the tombstone of a purge was collected kept the purged text in its log',
    steps: [
      { do: 'put', at: 1, record: 4 },
      { do: 'put', at: 2, record: 4 },
      { do: 'sync', at: 1, record: 10, weather: ['others-meanwhile'] },
      { do: 'purge', at: 3, record: 4 },
      { do: 'age' },
    ],
  },
  {
    was: 'a sealed edit that was made after a purge lost to one of a device that had not heard of the purge, and its text was logged nowhere',
    steps: [
      { do: 'put', at: 2, record: 0 },
      { do: 'pass', ms: 500, weather: 'fair' },
      { do: 'purge', at: 2, record: 0 },
      { do: 'seal', at: 2, record: 0 },
      { do: 'use', at: 0, skill: 1, good: false },
      { do: 'put', at: 1, record: 0 },
    ],
  },
  {
    was: 'an edit that waited on a device met the final state of a record that was purged meanwhile, and was logged with its text',
    steps: [
      { do: 'sync', at: 0, record: 6, weather: ['edit-meanwhile', 'lose-answer'] },
      { do: 'put', at: 0, record: 6 },
      { do: 'put', at: 0, record: 6 },
      { do: 'purge', at: 3, record: 6 },
      { do: 'put', at: 0, record: 6 },
      { do: 'put', at: 0, record: 6 },
      { do: 'put', at: 3, record: 6 },
    ],
  },
  {
    was: 'a device that was about to purge met an edit of another one, and kept its text in its log',
    steps: [
      { do: 'put', at: 1, record: 6 },
      { do: 'sync', at: 1, record: 5, weather: [] },
      { do: 'put', at: 1, record: 6 },
      { do: 'sync', at: 2, record: 5, weather: ['others-meanwhile'] },
      { do: 'pass', ms: 400_000, weather: 'still' },
      { do: 'sync', at: 2, record: 6, weather: ['others-meanwhile'] },
      { do: 'purge', at: 1, record: 6 },
      { do: 'carry', letter: 0 },
    ],
  },
  {
    was: 'a record got the number of the last tombstone that was collected, and no query at the mirror showed it',
    steps: [
      { do: 'sync', at: 0, record: 10, weather: ['others-meanwhile'] },
      { do: 'forget', at: 3, record: 10 },
      { do: 'supersede', at: 0, family: 0 },
      { do: 'age' },
    ],
  },
  {
    was: 'a fact that was sealed on one device was superseded on another, and the new one lay in clear everywhere',
    steps: [
      { do: 'supersede', at: 0, family: 0 },
      { do: 'sync', at: 0, record: 0, weather: [] },
      { do: 'sync', at: 1, record: 0, weather: [] },
      { do: 'seal-fact', at: 0, family: 0 },
      { do: 'supersede', at: 1, family: 0 },
    ],
  },
]
