// Skills as the inspector shows them: how things are done, and how well that has gone.
import { order, orderField } from './filter-field.ts'
import type { CapabilityInput, Skill } from '../../src/index.ts'
import { countOf, oneLine, shareWord } from '../wording/text-word.ts'
import type { RecordKind } from './record-kind.ts'

export const skillLevels = ['novice', 'competent', 'proficient', 'expert'] as const

export const skillKind: RecordKind<Skill> = {
  view: 'skills',
  name: 'skill',
  one: 'skill',
  many: 'skills',
  order: 'newest first',
  fields: {
    level: {
      type: 'choice',
      name: 'Level',
      choices: skillLevels.map((level) => ({
        value: level,
        word: level,
        filters: { 'maturity.level': level },
      })),
    },
    rate: {
      type: 'choice',
      name: 'Success rate',
      choices: [
        { value: '0.9', word: 'at least 90%', filters: { 'maturity.success_rate': { gte: 0.9 } } },
        { value: '0.6', word: 'at least 60%', filters: { 'maturity.success_rate': { gte: 0.6 } } },
        { value: 'low', word: 'below 60%', filters: { 'maturity.success_rate': { lt: 0.6 } } },
      ],
    },
    name: { type: 'text', name: 'Name', path: 'name' },
    agent: { type: 'text', name: 'Agent', path: 'agent' },
    order: orderField(
      'created_at',
      order('name', 'by name', 'name'),
      order('rate', 'best success rate first', '-maturity.success_rate'),
    ),
  },
  timePath: 'created_at',
  glance: 'Open a skill to see its procedure and how its level changed.',
  searched: 'Search looks at the name, the description, the triggers, the preconditions and the procedure.',
  cites: [
    {
      path: 'learned_from.traces',
      to: 'Learned from',
      from: 'Taught the skill',
      rests: ({ learned_from: { explicit_training: isTrained } }) => !isTrained,
    },
  ],
  replace: (book, _id, content) =>
    book.skills.store({ ...content, replace: true } as CapabilityInput<'kstar:store_skill'>),
  row(skill) {
    const { level, success_rate: rate, usage_count: uses } = skill.maturity
    return {
      id: skill.id,
      at: skill.updated_at,
      mark: level,
      title: oneLine(skill.name, 120),
      lead: '',
      rest: oneLine(skill.description, 160),
      isProse: true,
      aside: uses === 0 ? 'never used' : `${shareWord(rate)} of ${countOf(uses, 'use')}`,
      ...(uses === 0 ? {} : { share: rate }),
      seen: { name: [skill.name], agent: [skill.agent] },
    }
  },
}
