// The states of records, each with a shape and a word.
export type MarkTone = 'good' | 'bad' | 'warn' | 'quiet'

export interface MarkWords {
  readonly word: string
  readonly tone: MarkTone
  /** Marks without a word in a list, as most records have them. */
  readonly isUsual?: boolean
}

export const marks = {
  succeeded: { word: 'Succeeded', tone: 'good', isUsual: true },
  failed: { word: 'Failed', tone: 'bad' },
  open: { word: 'No result yet', tone: 'quiet' },
  held: { word: 'Belief', tone: 'good', isUsual: true },
  expired: { word: 'Expired', tone: 'quiet' },
  foreign: { word: 'Of another book', tone: 'quiet' },
  verified: { word: 'Verified', tone: 'good' },
  unverified: { word: 'Not verified', tone: 'quiet', isUsual: true },
  superseded: { word: 'Superseded', tone: 'quiet' },
  novice: { word: 'Novice', tone: 'quiet' },
  competent: { word: 'Competent', tone: 'quiet' },
  proficient: { word: 'Proficient', tone: 'good' },
  expert: { word: 'Expert', tone: 'good' },
  waiting: { word: 'Waiting', tone: 'quiet' },
  running: { word: 'Running', tone: 'quiet' },
  done: { word: 'Done', tone: 'good', isUsual: true },
  sent: { word: 'Awaiting confirmation', tone: 'quiet' },
  refused: { word: 'Refused', tone: 'bad' },
  dead: { word: 'Dead', tone: 'bad' },
  active: { word: 'Active', tone: 'good', isUsual: true },
  pending: { word: 'Not yet valid', tone: 'warn' },
  revoked: { word: 'Revoked', tone: 'bad' },
  definition: { word: 'Registered', tone: 'quiet', isUsual: true },
  person: { word: 'Person', tone: 'quiet', isUsual: true },
  agent: { word: 'Agent', tone: 'quiet', isUsual: true },
  unarchived: { word: 'Kept', tone: 'quiet', isUsual: true },
  archived: { word: 'Archived', tone: 'quiet' },
  approve: { word: 'Approve', tone: 'good' },
  reject: { word: 'Reject', tone: 'bad' },
  noVote: { word: 'No vote yet', tone: 'quiet' },
  approved: { word: 'Approved', tone: 'good', isUsual: true },
  rejected: { word: 'Rejected', tone: 'bad' },
  proposed: { word: 'Proposed', tone: 'quiet', isUsual: true },
  present: { word: 'Active', tone: 'good' },
  stale: { word: 'Stale', tone: 'quiet' },
  noWay: { word: 'Off', tone: 'quiet' },
  stopping: { word: 'Stopping', tone: 'warn' },
  episode: { word: 'Episode', tone: 'quiet', isUsual: true },
  message: { word: 'Message', tone: 'quiet', isUsual: true },
} as const satisfies Record<string, MarkWords>

export type MarkName = keyof typeof marks
