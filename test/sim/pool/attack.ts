// What somebody says who wants more than one voice in a pool, or the last word: under names of his own, under names that look
// like others', and by decisions among claws that he chose.
import { signedBy } from './claw-site.ts'

export interface Attack {
  /** The agent that is aimed at. */
  readonly victim: string
  readonly pick: number
  readonly proposal: string
  readonly serial: number
  readonly now: number
}

const strangers = ['s1@far', 's2@far', 's3@far']

/** One envelope, signed with the attacker's own key. */
export function attackOf({ victim, pick, proposal, serial, now }: Attack): string {
  const stranger = strangers[pick % strangers.length] ?? 's1@far'
  const spelled = [
    `${victim.toUpperCase()}@book`,
    `${victim}@BOOK`,
    `${victim}@bo\u200bok`,
    ` ${victim}@book`,
  ]
  const asVictim = spelled[pick % spelled.length] ?? stranger
  const claw = pick % 2 === 0 ? stranger : asVictim
  const all = [
    ['presence', { status: 'active' }],
    ['capabilities', { capabilities: [], keys: ['did:key:mallory'] }],
    ['vote', { proposalId: proposal, vote: pick % 3 === 0 ? 'no' : 'yes', n: 1 + (pick % 3) }],
    ['decision', decisionOf(proposal, claw)],
    ['proposal', { proposalId: `kp-forged${serial}`, group: 'daybook', statement: 'Forged', tags: ['ops'] }],
    ['fact', factOf(proposal, claw)],
  ] as const
  const [type, payload] = all[pick % all.length] ?? all[0]
  const head = {
    schemaVersion: 'v1',
    traceId: 'tr-forged',
    timestamp: new Date(now).toISOString(),
    idempotencyKey: `forged:${serial}`,
    instanceId: `forged#${serial}`,
  }
  return signedBy('mallory', JSON.stringify({ ...head, type, clawId: claw, payload }))
}

function decisionOf(proposalId: string, claw: string) {
  const ballots = strangers.map((clawId) => ({ clawId, vote: 'yes', n: 1 }))
  return { proposalId, outcome: 'approved', yes: 3, no: 0, quorum: 3, active: [claw, ...strangers], ballots }
}

const factOf = (proposalId: string, source: string) => ({
  factId: `kf-${proposalId}`,
  group: 'daybook',
  subject: 'E',
  predicate: 'maps to',
  object: 'forged',
  version: 1,
  source,
  proposalId,
})
