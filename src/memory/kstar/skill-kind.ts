// The kind `skill`: procedural memory, as a procedure with its success rate.
// Invariant: names that look alike by Unicode normalization are one skill, because id and stored name are in NFC.
import type { Kind } from '../../core/kind.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { plainText } from '../../core/text/shown-text.ts'
import { settleSkill } from './maturity.ts'
import { skillBody, type SkillBody } from './skill-schema.ts'
import type { RecordName } from '../../core/record.ts'
import { nameId } from '../../core/text/name-id.ts'

function skillId(name: string): string {
  return nameId('skill', name.normalize('NFC'))
}

/**
 * Record names under which a skill may be stored: the NFC spelling first, then spellings from before names were
 * normalized.
 */
export function skillRecordNames(name: string): readonly [RecordName, ...RecordName[]] {
  const toRecordName = (spelling: string): RecordName => ({
    kind: 'skill',
    id: nameId('skill', spelling),
    scopes: [`skill:${spelling}`],
  })
  const composed = name.normalize('NFC')
  const otherSpellings = new Set([name, name.normalize('NFD')])
  otherSpellings.delete(composed)
  return [toRecordName(composed), ...[...otherSpellings].map(toRecordName)]
}

export const skillKind: Kind<'skill', SkillBody> = {
  name: 'skill',
  idPrefix: 'skill::',
  idOf: ({ name }) => skillId(plainText(name)),
  // Adds the required fields to a body that another program wrote.
  complete: ({ definition = {}, ...body }) => ({
    description: '',
    learned_from: {},
    maturity: {},
    ...body,
    definition: isJsonObject(definition) ? { procedure: '', ...definition } : definition,
  }),
  summary: 'A procedure with its triggers, its preconditions and its rate of success.',
  version: 1,
  schema: skillBody,
  text: [
    'name',
    'description',
    'definition.triggers',
    'definition.preconditions',
    'definition.procedure',
    'maturity.level',
  ],
  names: ['name'],
  facets: { name: 'name' },
  scopedBy: 'name',
  // Uses on two devices add up; `last_used` is the later time.
  policy: 'merge',
  merge: {
    'maturity.usage_count': 'counter',
    'maturity.successes': 'counter',
    'maturity.last_used': 'max',
    'maturity.success_rate': 'derived',
    'maturity.level': 'derived',
  },
  settle: settleSkill,
  // A version that differs only in the maturity need not stay in the history.
  counts: ['maturity'],
  links: ['learned_from.traces'],
  // A skill with explicit training stays when its last trace is forgotten.
  cites: [{ path: 'learned_from.traces', rests: (body) => !body.learned_from.explicit_training }],
}
