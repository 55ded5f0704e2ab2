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
]
