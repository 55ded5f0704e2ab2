// What a group of claws has said over many hours, as it lies in the topics: proposals, five votes on each, decisions, facts,
// presence, and now and then the same once more or something that is no envelope.
// Invariant: it is made round by round and never held, so that a million of them cost no more than a hundred.
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { factIdOf } from '../../../src/commons/pool/rule/claw-id.ts'
import { toDidKey } from '../../../src/shape/did.ts'
import { signedEnvelopeText } from '../../../src/shape/envelope.ts'

/** Messages of one round. */
export const perRound = 10
/** So far apart rounds are, so that no claw says more than is let in: each has half an envelope in a round. */
const roundMs = 10
const clawCount = 20
const voters = 5
const strayEvery = 5

export interface Message {
  readonly topic: string
  readonly key: string
  readonly value: string
  readonly timestamp: bigint
}

export interface SigningClaw {
  readonly id: string
  readonly key: string
  readonly secret: KeyObject
}

/** Of `rounds` rounds: what they bring in all. */
export const expectedOf = (rounds: number) => {
  const rejected = Math.floor((rounds + strayEvery - 1) / strayEvery)
  return { facts: rounds, rejected, duplicate: rounds - rejected }
}

/** The messages of round after round, the last of them said at `until`. */
export function* backlogOf(
  group: string,
  rounds: number,
  until: number,
): Generator<Message[], void, undefined> {
  const claws = Array.from({ length: clawCount }, (_, n) => newClaw(`claw-${n}@fleet`))
  const clawAt = (n: number) => claws[n % clawCount] as SigningClaw
  for (let round = 0; round < rounds; round++) {
    const at = until - (rounds - round) * roundMs
    const timestamp = new Date(at).toISOString()
    const proposalId = `kp-${round.toString(16).padStart(16, '0')}`
    const topicOf = (what: string) => `group.${group}.knowledge.${what}`
    const say = (claw: SigningClaw, type: string, what: string, payload: object) => {
      const envelope = {
        schemaVersion: 'v1',
        type,
        traceId: `t-${round}`,
        timestamp,
        idempotencyKey: `knowledge:${type}:${proposalId}:${claw.id}`,
        clawId: claw.id,
        instanceId: `${claw.id}#1`,
        payload,
      }
      const value = JSON.stringify(signedBy(claw, envelope))
      return { topic: topicOf(what), key: proposalId, value, timestamp: BigInt(at) }
    }
    const home = clawAt(round)
    const fact = {
      factId: factIdOf(proposalId),
      version: 1,
      subject: `E${round}`,
      predicate: 'is mended by',
      object: `M${round % 97}`,
    }
    const others = Array.from({ length: voters }, (_, n) => clawAt(round + 1 + n))
    const ballots = others.map(({ id }) => ({ clawId: id, vote: 'yes', n: 0 }))
    const votes = others.map((claw) => say(claw, 'vote', 'votes', { proposalId, vote: 'yes', n: 0 }))
    const statement = `Error E${round} is mended by M${round % 97}.`
    const stray =
      round % strayEvery === 0
        ? {
            topic: topicOf('votes'),
            key: proposalId,
            value: strays[(round / strayEvery) % strays.length] ?? '',
          }
        : votes[0]
    yield [
      say(home, 'proposal', 'proposals', { proposalId, group, statement, tags: ['ops'], fact }),
      ...votes,
      say(home, 'decision', 'decisions', {
        proposalId,
        outcome: 'approved',
        yes: voters,
        no: 0,
        quorum: 4,
        active: [home, ...others].map(({ id }) => id),
        ballots,
      }),
      say(home, 'fact', 'facts', { ...fact, group, source: home.id, proposalId, tags: ['ops'] }),
      say(home, 'presence', 'presence', { group, status: 'active' }),
      { ...(stray as Message), timestamp: BigInt(at) },
    ]
  }
}

const strays = ['not JSON', '{"schemaVersion":"v9"}', '[]', `{"pad":"${'x'.repeat(70_000)}"}`]

export function newClaw(id: string): SigningClaw {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  return { id, key: toDidKey(raw), secret: privateKey }
}

/** The envelope with the signature of `claw`. */
export function signedBy<Envelope extends object>({ key, secret }: SigningClaw, envelope: Envelope) {
  const value = sign(null, Buffer.from(signedEnvelopeText(envelope)), secret).toString('base64url')
  return { ...envelope, signature: { key, value } }
}
