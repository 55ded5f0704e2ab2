// The lessons of the courier: a skill that improves with each door, beliefs about rooms with traces as evidence, and a fact
// about the way, which the second visit supersedes.
import type { Daybook } from '../../src/index.ts'
import { archive, gate, type Visit } from './courier.ts'

const agent = 'courier'
export const skillName = 'Find the way through a house'
const schema = 'sample.route'

/** Registers the schema of its facts and the category of its deliveries. */
export async function prepareLearning(book: Daybook): Promise<void> {
  await book.facts.schemas.register({
    name: schema,
    description: 'A way through a house, as far as it is known.',
    schema: {
      type: 'object',
      required: ['from', 'to', 'doors'],
      properties: {
        from: { type: 'string', description: 'Where it begins' },
        to: { type: 'string', description: 'Where it ends' },
        doors: { type: 'integer', minimum: 1, description: 'How many doors had to be opened' },
        avoid: { type: 'array', items: { type: 'string' }, description: 'Rooms that lead nowhere' },
      },
      additionalProperties: false,
    },
  })
  await book.traces.categories.register({
    name: 'deliver_parcel',
    domain: 'courier.delivery',
    required_fields: ['to'],
    description: 'A delivery says where it went.',
  })
  await book.skills.store({
    name: skillName,
    description: 'Opens doors one after the other and remembers which led nowhere.',
    definition: {
      triggers: ['a parcel for a room that cannot be seen from here'],
      preconditions: ['the doors are not locked'],
      procedure:
        '1. Recall which doors of this room led nowhere.\n2. Open the next of the others.\n3. Store where it led.',
    },
    learned_from: { explicit_training: true },
    replace: true,
    agent,
  })
}

/** Each door is a use of the skill, and so is arriving. */
export async function noteUse(book: Daybook, succeeded: boolean): Promise<void> {
  await book.skills.recordOutcome({ skillName, outcome: succeeded })
}

/** Stores the lessons of the first visit. Answers the id of the fact that the second visit supersedes. */
export async function learnFromFirst(book: Daybook, visit: Visit): Promise<string> {
  const at = Date.now()
  for (const [room, trace] of visit.deadEnds) {
    await book.perceptions.store({
      type: 'observation',
      subject: `room:${room}`,
      content: `The ${room} leads nowhere.`,
      confidence: 0.95,
      evidence: [trace],
      session: visit.session,
      agent,
    })
  }
  await book.perceptions.store({
    type: 'guess',
    subject: 'person:porter',
    content: 'The porter would know a shorter way.',
    confidence: 0.4,
    evidence: [visit.delivery],
    session: visit.session,
    agent,
  })
  await book.perceptions.store({
    type: 'observation',
    subject: `room:${gate}`,
    content: 'The gate stands open this minute.',
    confidence: 0.9,
    valid_until: new Date(at).toISOString(),
    session: visit.session,
    agent,
  })
  const { id } = await book.facts.store({
    schema,
    data: { from: gate, to: archive, doors: visit.doors.length },
    source: 'first visit',
    agent,
  })
  return id
}

/** The second visit found the same place through fewer doors. */
export async function learnFromSecond(
  book: Daybook,
  visit: Visit,
  { before, avoid }: { before: string; avoid: readonly string[] },
): Promise<void> {
  await book.facts.supersede({
    id: before,
    data: { from: gate, to: archive, doors: visit.doors.length, avoid: [...avoid] },
    source: 'second visit',
    verified: true,
    agent,
  })
  await book.skills.store({
    name: 'Deliver to the archive',
    description: 'The whole errand, from the gate to the archive.',
    definition: { triggers: ['a parcel for the archive'], procedure: 'Take the way that the book knows.' },
    learned_from: { traces: [visit.delivery] },
    replace: true,
    agent,
  })
}
