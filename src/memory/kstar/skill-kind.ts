// The kind `skill`: procedural memory, how things are done and how well that goes.
import type { Kind } from '../../core/kind.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { plainText } from '../../core/text/plain-text.ts'
import { settleSkill } from './maturity.ts'
import { skillId } from './skill-name.ts'
import { skillBody, type SkillBody } from './skill-schema.ts'

export const skillKind: Kind<'skill', SkillBody> = {
  name: 'skill',
  idPrefix: 'skill::',
  idOf: ({ name }) => skillId(plainText(name)),
  complete: ({ definition = {}, ...body }) => ({
    description: '',
    learned_from: {},
    maturity: {},
    ...body,
    definition: isJsonObject(definition) ? { procedure: '', ...definition } : definition,
  }),
  summary: 'How something is done: triggers, preconditions, procedure, and how well it has gone.',
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
  // A skill used on two devices was used that often, and last on the one where it was used last.
  policy: 'merge',
  merge: {
    'maturity.usage_count': 'counter',
    'maturity.successes': 'counter',
    'maturity.last_used': 'max',
    'maturity.success_rate': 'derived',
    'maturity.level': 'derived',
  },
  settle: settleSkill,
  counts: ['maturity'],
  // What was taught stands without the traces.
  links: ['learned_from.traces'],
  cites: [{ path: 'learned_from.traces', rests: (body) => !body.learned_from.explicit_training }],
}
