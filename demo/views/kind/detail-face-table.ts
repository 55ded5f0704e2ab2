// How an open record of each kind is shown.
import { CategorySections } from './kstar/category-sections.tsx'
import { EpisodeSections } from './conversation/episode-sections.tsx'
import { FactSections } from './kstar/fact-sections.tsx'
import { MessageSections } from './conversation/message-sections.tsx'
import { PoolFactSections } from './pool/pool-fact-sections.tsx'
import { PoolSections } from './pool/pool-sections.tsx'
import { PerceptionSections } from './kstar/perception-sections.tsx'
import { ProfileSections } from './conversation/profile-sections.tsx'
import { ChangeSchema } from './kstar/schema-act.tsx'
import { SchemaSections } from './kstar/schema-sections.tsx'
import { SkillSections } from './kstar/skill-sections.tsx'
import { TokenActs } from './token/token-act.tsx'
import { TokenSections } from './token/token-sections.tsx'
import { ThoughtSections } from './continuity/thought-sections.tsx'
import { TokenTypeSections } from './token/token-type-sections.tsx'
import { TraceSections } from './kstar/trace-sections.tsx'
import type { DetailFace } from './face.ts'

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
