// The chapter of what an agent did, saw, believes and can do: traces, perceptions, facts, skills, and what they keep to.
import { defineChapter } from '../../core/capability/chapter.ts'
import { browseCapabilities } from './browse-capability.ts'
import { definitionCapabilities } from './definition/definition-capability.ts'
import { definitionKinds } from './definition/definition-kind.ts'
import { factCapabilities } from './fact-capability.ts'
import { factKind } from './fact-kind.ts'
import { perceptionCapabilities } from './perception-capability.ts'
import { perceptionKind } from './perception-kind.ts'
import { historyCapabilities } from './record/history-capability.ts'
import { recordCapabilities } from './record/record-capability.ts'
import { runCapabilities } from './run-capability.ts'
import { skillCapabilities } from './skill-capability.ts'
import { skillKind } from './skill-kind.ts'
import { traceCapabilities } from './trace-capability.ts'
import { traceKind } from './trace-kind.ts'

export const kstar = defineChapter({
  name: 'kstar',
  capabilities: [
    ...traceCapabilities,
    ...perceptionCapabilities,
    ...factCapabilities,
    ...skillCapabilities,
    ...definitionCapabilities,
    ...recordCapabilities,
    ...historyCapabilities,
    ...browseCapabilities,
    ...runCapabilities,
  ],
  kinds: [traceKind, perceptionKind, factKind, skillKind, ...definitionKinds],
})
