// The detail pane of each kind: its parts, and its acts.
import type { ComponentChildren } from 'preact'
import type { BookRecord } from '../../kind/record-kind.ts'
import { CategorySections, ChangeSchema, SchemaSections, TokenTypeSections } from './definition-sections.tsx'
import { EpisodeSections, MessageSections, ProfileSections } from './conversation-sections.tsx'
import { FactSections } from './fact-sections.tsx'
import { PoolFactSections, PoolSections } from './pool-sections.tsx'
import { PerceptionSections } from './perception-sections.tsx'
import { SkillSections } from './skill-sections.tsx'
import { TokenActs, TokenSections } from './token-sections.tsx'
import { ThoughtSections } from './thought-sections.tsx'
import { TraceSections } from './trace-sections.tsx'

interface DetailFace<Item extends BookRecord = BookRecord> {
  /** The parts of the open record, above its links and history. */
  Sections(props: { record: Item }): ComponentChildren
  /** Acts on the open record, in its bar. */
  Acts?(props: { record: Item }): ComponentChildren
}

const faces: Readonly<Record<string, DetailFace>> = {
  trace: { Sections: TraceSections },
  trace_category: { Sections: CategorySections },
  fact: { Sections: FactSections },
  fact_schema: { Sections: SchemaSections, Acts: ChangeSchema },
  episode: { Sections: EpisodeSections },
  message: { Sections: MessageSections },
  profile: { Sections: ProfileSections },
  perception: { Sections: PerceptionSections },
  token: { Sections: TokenSections, Acts: TokenActs },
  token_type: { Sections: TokenTypeSections },
  thought: { Sections: ThoughtSections },
  pool_fact: { Sections: PoolFactSections },
  pool_proposal: { Sections: PoolSections },
  pool_ballot: { Sections: PoolSections },
  pool_decision: { Sections: PoolSections },
  pool_claw: { Sections: PoolSections },
  skill: { Sections: SkillSections },
}

export function detailFaceOf(kind: string): DetailFace {
  const face = faces[kind]
  if (!face) throw new Error(`There is no face for the kind ${kind}.`)
  return face
}
