// Which type a text is, by stated patterns: something that happened once (episodic), how the user does things (procedural),
// or what is so (semantic). Pure. In doubt it is episodic, as the protocol has it.
import type { MemoryType } from './category.ts'

export interface Classified {
  readonly memory_type: MemoryType
  /** Why, for people. */
  readonly reason: string
}

interface Pattern extends Classified {
  readonly pattern: RegExp
}

const day = String.raw`(?:\d{4}-\d{2}-\d{2}|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:january|february|march|april|may|june|july|august|september|october|november|december)\s+\d{1,2})`

/** Asked in this order; the first that fits decides. */
const patterns: readonly Pattern[] = [
  {
    memory_type: 'episodic',
    reason: 'It names a day or a moment.',
    pattern: new RegExp(
      String.raw`\b(?:on|at|since|until|before|after)\s+${day}\b|\b${day}\b|\b(?:today|yesterday|tonight|last\s+(?:night|week|month|year)|this\s+morning|just\s+now|\d+\s+(?:minutes?|hours?|days?|weeks?|months?|years?)\s+ago)\b`,
      'iu',
    ),
  },
  {
    memory_type: 'procedural',
    reason: 'It says how the user always goes about something.',
    pattern:
      /\b(?:always|never|usually|often|every\s+(?:day|morning|evening|night|week|month|time)|whenever|routine|habit|workflow|step\s+by\s+step|first\b.+\bthen|before\s+\w+ing|after\s+\w+ing)\b/iu,
  },
  {
    memory_type: 'procedural',
    reason: 'It says how the user wants something done.',
    pattern:
      /\b(?:prefers?|likes?|wants?)\b.*\b(?:with|without|using|in\s+the\s+form\s+of|formatted|as\s+(?:a|an|bullet)|by\s+\w+ing|instead\s+of)\b/iu,
  },
  {
    memory_type: 'semantic',
    reason: 'It says what is so of the user, apart from any occasion.',
    pattern:
      /\b(?:prefers?|likes?|loves?|enjoys?|hates?|dislikes?|is|are|was\s+born|has|have|works?|lives?|speaks?|knows?|believes?|owns?|uses?|studies|believes|needs?|can|cannot|can't)\b/iu,
  },
  {
    memory_type: 'episodic',
    reason: 'It tells of something that was done.',
    pattern: /\b\w+ed\b|\b(?:asked|said|told|went|met|bought|saw|began|made|found|left|wrote)\b/iu,
  },
]

/** Something that happened, said of the past, without a day. */
const past =
  /^(?:the\s+)?(?:user|they|he|she|i)\s+(?:\w+ly\s+)?(?:\w+ed|asked|said|told|went|met|bought|saw|began|made|found|left|wrote)\b/iu

export function classify(content: string): Classified {
  if (past.test(content.trim()) && !/\balways\b|\bevery\b/iu.test(content))
    return { memory_type: 'episodic', reason: 'It tells of something that happened.' }
  const found = patterns.find(({ pattern }) => pattern.test(content))
  if (!found)
    return { memory_type: 'episodic', reason: 'Nothing tells it from something that happened once.' }
  return { memory_type: found.memory_type, reason: found.reason }
}
