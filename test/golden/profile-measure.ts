// Measures what the patterns learn from judged sentences, on both halves.
import { findStatements } from '../../src/memory/conversation/profile/user-fact.ts'
import { fitted, heldOut, type ProfileSentence } from './profile-sentence.ts'
import type { Figures } from './set-measure.ts'

/** Facts of a sentence as the judged sentences write them. */
export const learned = (said: string): string[] =>
  findStatements([{ content: said, source: {} }]).map(
    ({ statement: { attribute, value, denied } }) => `${denied ? 'not ' : ''}${attribute}: ${value}`,
  )

/** `precision`: the share of learned facts that are right. `recall`: the share of right facts that are learned. */
function measureFacts(sentences: readonly ProfileSentence[]): Figures {
  let found = 0
  let right = 0
  let wanted = 0
  for (const [said, ...facts] of sentences) {
    const statements = learned(said)
    found += statements.length
    right += statements.filter((statement) => facts.includes(statement)).length
    wanted += facts.length
  }
  return { questions: sentences.length, precision: right / found, recall: right / wanted }
}

export const profileFigures = (): Readonly<Record<string, Figures>> => ({
  'profile, fitted': measureFacts(fitted),
  'profile, held out': measureFacts(heldOut),
})
