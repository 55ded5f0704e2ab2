// The chapter of the KSTAR memory: traces of actions, perceptions, facts, skills and their registered definitions; also
// the verbs for records of any kind, their history, and the runs that traces form.
import { defineChapter } from '../../core/capability/chapter.ts'
import { definitionCapabilities } from './definition-capability.ts'
import { definitionKinds } from './definition.ts'
import { factCapabilities } from './fact-capability.ts'
import { factKind } from './fact-kind.ts'
import { recordCapabilities } from './record-capability.ts'
import { runCapabilities } from './run-capability.ts'
import { skillCapabilities } from './skill-capability.ts'
import { skillKind } from './skill-kind.ts'
import { traceCapabilities } from './trace-capability.ts'
import { traceKind } from './trace-kind.ts'
import { perceptionCapabilities, perceptionKind } from './perception.ts'
import { browseCapabilities, historyCapabilities } from './browse-capability.ts'

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
